import { pino } from 'pino';
import { Probot, ProbotOctokit } from 'probot';
import { GithubUnreachable } from '../github/read/github-failure.ts';
import type { Github } from '../github/read/octokit.ts';

/** GitHub as seen by one App. */
export interface GithubAccess {
  /** Signs in to GitHub, and passes events to their handlers. */
  probot: Probot;
  installation: (installationId: number) => Promise<Github>;
  app: () => Promise<Github>;
  /** What is left of each installation's primary rate limit, as GitHub last said. */
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
 * Signs in as a GitHub App through Probot, which makes tokens, keeps them for 59 minutes and renews
 * them. Probot's own pacing and retries are off: its one shared queue would slow down all
 * installations together, and ours work from the database for all replicas (github.md, "Probot").
 * Its logger is silent because it prints payloads, at debug level and for every handler that fails
 * (threats.md S14).
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

/** GitHub through any Probot, such as one that a test signs in by token. */
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

/**
 * Probot's Octokit without pacing. It rejects answers that cannot be parsed, and notes what is left
 * of the rate limit.
 */
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
  // A function, because Probot's own defaults, which pace all writes, would override a plain
  // object.
  return observed.defaults((options: object) => ({
    ...options,
    throttle: { enabled: false },
    retry: { enabled: false },
  }));
}

/** Octokit returns JSON that it cannot parse as text; we treat that as no answer. */
function refuseGarbage(response: {
  data: unknown;
  headers: { 'content-type'?: string | undefined };
}): void {
  const type = response.headers['content-type'] ?? '';
  const isReadable = typeof response.data !== 'string' || !/json|html/.test(type);
  if (isReadable || type.includes('.raw')) return;
  throw new GithubUnreachable('GitHub’s answer cannot be read');
}

/** Limits how long GitHub may take to answer; Octokit itself waits for ever. */
function fetchInTime(url: string | URL | Request, options: RequestInit = {}): Promise<Response> {
  const deadline = AbortSignal.timeout(REQUEST_WITHIN_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  return fetch(url, { ...options, signal });
}
