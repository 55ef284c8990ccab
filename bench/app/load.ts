import { Pool } from 'undici';
import type { Webhook } from './payload.ts';

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** By status, how many answers. */
  statuses: Record<number, number>;
}

/** Sends all webhooks over so many connections, each as soon as its connection is free. */
export async function load(
  origin: string,
  webhooks: readonly Webhook[],
  connections: number,
): Promise<LoadResult> {
  const pool = new Pool(origin, { connections });
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  let next = 0;
  const begun = performance.now();
  const work = async (): Promise<void> => {
    for (let webhook = webhooks[next++]; webhook; webhook = webhooks[next++]) {
      const sent = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/api/github/webhooks',
        ...webhook,
      });
      await body.dump();
      times.push(performance.now() - sent);
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond: webhooks.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), statuses };
}
