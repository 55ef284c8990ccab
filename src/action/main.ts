import './plain-schemas.ts';
import http from 'node:http';
import { warning } from '@actions/core';
import { Interrupted } from './interrupted.ts';
import { runStep } from './run-step.ts';

const { env } = process;
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const) {
  process.on(signal, () => interrupt.abort(new Interrupted(signal)));
}
if (PROXIES.some((name) => env[name]) && env['NODE_USE_ENV_PROXY'] !== '1') useProxy();

await runStep(env, interrupt.signal);
process.exit();

/** Node's fetch ignores proxy variables unless told to use them (possible from Node 24.14 on). */
function useProxy(): void {
  if ('setGlobalProxyFromEnv' in http) {
    http.setGlobalProxyFromEnv(env);
    return;
  }
  warning(
    `Node ${process.version} of this runner ignores the proxy: set NODE_USE_ENV_PROXY to 1 in the job’s env, or update the runner.`,
  );
}
