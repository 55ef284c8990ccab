import { EGRESS_PORT } from '../../sandbox/confinement.ts';
import { artifactsOf, homeOf, seenAt, temporaryOf, type RunContext } from '../run-context.ts';

const FALLBACK_PATH = '/usr/local/bin:/usr/bin:/bin';

const PROXY = `http://127.0.0.1:${EGRESS_PORT}`;
const NOT_BY_PROXY = 'localhost,127.0.0.1,::1';
/**
 * The proxy variables in both spellings, because programs differ; Node has to be told to use them.
 */
const PROXY_VARIABLES = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  NO_PROXY: NOT_BY_PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  no_proxy: NOT_BY_PROXY,
  NODE_USE_ENV_PROXY: '1',
};

/**
 * The whole environment of a run's processes. Only PATH comes from the worker. The variables for
 * git make commits carry the bot's name without any configuration.
 */
export function agentEnvironment(run: RunContext): Record<string, string> {
  const { lease, worker } = run;
  const author = lease.git?.author ?? { name: 'Runlink', email: 'runlink@localhost' };
  return {
    // An image has a PATH of its own.
    ...(run.image === undefined
      ? { PATH: worker.options.environment['PATH'] ?? FALLBACK_PATH }
      : {}),
    HOME: seenAt(run, homeOf(run)),
    TMPDIR: seenAt(run, temporaryOf(run)),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: 'true',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    RUNLINK_RUN_ID: lease.run_id,
    RUNLINK_SESSION_LINK: lease.session_link,
    RUNLINK_ARTIFACTS: seenAt(run, artifactsOf(run)),
    RUNLINK_BASE_URL: worker.options.baseUrl,
    RUNLINK_API_KEY: lease.run_key,
    ...(run.egress ? PROXY_VARIABLES : {}),
    ...lease.environment?.variables,
  };
}
