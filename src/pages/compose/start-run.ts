import { endpoints } from '../../contract/endpoints.ts';
import type { Api } from '../api.ts';
import { onceHeaders } from '../forms.ts';

/**
 * Starts a run. Sending the same form with the same content again returns the same run. Throws
 * ProblemError.
 */
export async function submitRun(api: Api, body: unknown, once: unknown): Promise<string> {
  const headers = { 'x-oz-api-source': 'WEB_APP', ...onceHeaders(once, body) };
  const { run_id } = await api.json(endpoints.runs.create, { body, headers });
  return run_id;
}
