import { Probot, ProbotOctokit } from 'probot';
import type { Logger } from 'pino';
import type { Github } from '../github/read/octokit.ts';
import { GithubUnreachable } from './inbox/outage.ts';

/** GitHub as seen by one App. */
export interface GithubAccess {
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

/** As a function: plain defaults lose against the ones Probot adds, which pace all writes. */
const Unpaced = ProbotOctokit.defaults((options: object) => ({
  ...options,
  throttle: { enabled: false },
  retry: { enabled: false },
}));

const REQUEST_WITHIN_MS = 20_000;
const INSTALLATIONS_MAX = 1000;

/**
 * Signs in as a GitHub App by Probot: tokens are made, kept for 59 minutes and renewed by it. Its own
 * pacing and retries are off: one shared queue would hold all installations back, and both are done
 * from the database, for all replicas together (github.md, "Probot"). What it logs at debug level
 * are the bodies of requests, so that level is kept from it (threats.md S14).
 */
export function connectGithub(credentials: GithubCredentials, log: Logger): GithubAccess {
  const remaining = new Map<number, number>();
  const probot = new Probot({
    appId: credentials.appId,
    privateKey: credentials.privateKey,
    baseUrl: credentials.apiUrl,
    secret: 'unused: the App checks signatures itself',
    log: log.isLevelEnabled('debug') ? log.child({}, { level: 'info' }) : log,
    Octokit: Unpaced,
    request: { fetch: fetchInTime },
  });
  const known = new Map<number, Promise<Github>>();
  const signIn = async (installationId: number): Promise<Github> => {
    const octokit = await probot.auth(installationId);
    octokit.hook.after('request', (response) => {
      refuseGarbage(response);
      const left = Number(response.headers['x-ratelimit-remaining']);
      if (Number.isFinite(left)) remaining.set(installationId, left);
    });
    return octokit;
  };
  const signInAsApp = async (): Promise<Github> => {
    const octokit = await probot.auth();
    octokit.hook.after('request', refuseGarbage);
    return octokit;
  };
  let asApp: Promise<Github> | undefined;
  return {
    remaining,
    app: () => (asApp ??= signInAsApp()),
    installation(installationId) {
      let octokit = known.get(installationId);
      if (!octokit) {
        if (known.size >= INSTALLATIONS_MAX) {
          known.clear();
          remaining.clear();
        }
        octokit = signIn(installationId);
        known.set(installationId, octokit);
        octokit.catch(() => known.delete(installationId));
      }
      return octokit;
    },
  };
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
