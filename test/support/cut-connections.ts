import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';

interface Plan {
  at: number;
  count: number;
}

/**
 * Breaks the connection to the database after the n-th statement of some work has taken effect and
 * before its answer is read; nothing else that goes on in this process is touched. Answers what the
 * work answers, and how many statements it made.
 */
type CutAt = <T>(at: number, work: () => Promise<T>) => Promise<{ answer: T; statements: number }>;

type Query = (this: Client, ...args: unknown[]) => unknown;
type Callback = (error: Error | null, result?: unknown) => void;

const lost = (): Error =>
  Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });

/** Ends a connection as a crashed server does, and waits until its client knows. */
async function cut(client: Client): Promise<void> {
  const { connection } = client as Client & { connection: { stream: { destroy(): void } } };
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
  connection.stream.destroy();
  await ended;
}

export function cutConnections(): CutAt {
  const plans = new AsyncLocalStorage<Plan>();
  // pg's overloads cannot be said again here: whatever is passed is passed on.
  // oxlint-disable-next-line typescript/unbound-method -- always applied to its client
  const original = Client.prototype.query as Query;
  function query(this: Client, ...args: unknown[]): unknown {
    const plan = plans.getStore();
    if (plan) plan.count += 1;
    if (plan?.count !== plan?.at || !plan) return original.apply(this, args);
    const last = args.at(-1);
    if (typeof last === 'function') {
      const callback: Callback = () => {
        void cut(this).then(() => (last as Callback)(lost()));
      };
      return original.apply(this, [...args.slice(0, -1), callback]);
    }
    return Promise.resolve(original.apply(this, args)).then(async () => {
      await cut(this);
      throw lost();
    });
  }
  Client.prototype.query = query as typeof Client.prototype.query;
  onTestFinished(() => {
    Client.prototype.query = original as typeof Client.prototype.query;
  });
  return async (at, work) => {
    const plan: Plan = { at, count: 0 };
    const answer = await plans.run(plan, work);
    return { answer, statements: plan.count };
  };
}
