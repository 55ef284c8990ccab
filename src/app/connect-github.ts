import { pino } from 'pino';
import { Probot, ProbotOctokit } from 'probot';
import { GithubUnreachable } from '../github/read/github-failure.ts';
import type { Github } from '../github/read/octokit.ts';

/** GitHub as seen by one App. */
export interface GithubAccess {
  /** Signs in, and hands events on to whoever reacts to them. */
  probot: Probot;
  installation: (installationId: number) => Promise<Github>;
  app: () => Promise<Github>;
  /** By installation, how much of the primary limit is left as GitHub last said. */
  remaining: ReadonlyMap<number, number>;
}

export interface GithubCredentials {
  appId: number;
  privateKey: string;
  /** Such as `https://api.github.com`, or `https://HOST/api/v3` on Enterprise Server. */
  apiUrl: string;
}

const REQUEST_WITHIN_MS = 20_000;
const INSTALLATIONS_MAX = 1000;

/**
 * Signs in as a GitHub App by Probot: tokens are made, kept for 59 minutes and renewed by it. Its own
 * pacing and retries are off: one shared queue would hold all installations back, and both are done
 * from the database, for all replicas together (github.md, "Probot"). It logs payloads, of every handler that fails
 * and at debug level of all, so its log is kept silent (threats.md S14).
 */
export function connectGithub({ appId, privateKey, apiUrl }: GithubCredentials): GithubAccess {
  const remaining = new Map<number, number>();
  const probot = new Probot({
    appId,
    privateKey,
    baseUrl: apiUrl,
    secret: 'unused: the App checks signatures itself',
    log: pino({ level: 'silent' }),
    Octokit: patientOctokit(remaining),
    request: { fetch: fetchInTime },
  });
  return accessBy(probot, remaining);
}

/** GitHub by any Probot, such as one of a test that signs in by token. */
export function accessBy(probot: Probot, remaining = new Map<number, number>()): GithubAccess {
  const known = new Map<number, Promise<Github>>();
  let asApp: Promise<Github> | undefined;
  return {
    probot,
    remaining,
    app: () => (asApp ??= probot.auth()),
    installation(installationId) {
      let octokit = known.get(installationId);
      if (!octokit) {
        if (known.size >= INSTALLATIONS_MAX) {
          known.clear();
          remaining.clear();
        }
        octokit = probot.auth(installationId);
        known.set(installationId, octokit);
        octokit.catch(() => known.delete(installationId));
      }
      return octokit;
    },
  };
}

/** Probot's Octokit, unpaced, that takes only what can be read for an answer and notes what is left of the limit. */
function patientOctokit(remaining: Map<number, number>): typeof ProbotOctokit {
  const observed = ProbotOctokit.plugin((octokit, { auth }) => {
    octokit.hook.after('request', (response) => {
      refuseGarbage(response);
      const left = Number(response.headers['x-ratelimit-remaining']);
      const id: unknown = auth?.installationId;
      if (typeof id === 'number' && Number.isFinite(left)) remaining.set(id, left);
    });
    return {};
  });
  // As a function: plain defaults lose against the ones Probot adds, which pace all writes.
  return observed.defaults((options: object) => ({
    ...options,
    throttle: { enabled: false },
    retry: { enabled: false },
  }));
}

/** Octokit hands on as text what was to be JSON and cannot be read; that is no answer of GitHub. */
function refuseGarbage(response: {
  data: unknown;
  headers: { 'content-type'?: string | undefined };
}): void {
  const type = response.headers['content-type'] ?? '';
  const isReadable = typeof response.data !== 'string' || !/json|html/.test(type);
  if (isReadable || type.includes('.raw')) return;
  throw new GithubUnreachable('GitHub’s answer cannot be read');
}

/** GitHub's answer must come in time: Octokit itself waits for ever. */
function fetchInTime(url: string | URL | Request, options: RequestInit = {}): Promise<Response> {
  const deadline = AbortSignal.timeout(REQUEST_WITHIN_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  return fetch(url, { ...options, signal });
}
