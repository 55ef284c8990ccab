import { endpoints } from '../../contract/endpoints.ts';
import type { Api } from '../api.ts';

/** Starts a run; the same `once` starts the same run. Throws ProblemError. */
export async function submitRun(api: Api, body: unknown, once?: string): Promise<string> {
  const headers = {
    'x-oz-api-source': 'WEB_APP',
    ...(once ? { 'idempotency-key': once } : {}),
  };
  const { run_id } = await api.json(endpoints.runs.create, { body, headers });
  return run_id;
}
