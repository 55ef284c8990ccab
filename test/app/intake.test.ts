import { describe, expect, it } from 'vitest';
import { Intake } from '../../src/app/inbox/intake.ts';
import { createInsert, type NewDelivery } from '../../src/app/store/deliveries.ts';
import { openAppDatabase } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';

function delivery(guid: string, objectId?: string): NewDelivery {
  return {
    guid,
    event: 'issue_comment',
    action: 'created',
    installationId: 1,
    thread: 'acme/widgets#1',
    objectId,
    body: Buffer.from(JSON.stringify({ guid, text: 'quoted "\\" {,} NULL ☃' })),
  };
}

describe('the intake', () => {
  it('takes each delivery and each comment once, however many replicas get them in whatever order', async () => {
    const { pool } = await openAppDatabase((await useTestDatabase()).url);
    const replicas = Array.from({ length: 4 }, () => new Intake(createInsert(pool)));
    const first = Array.from({ length: 100 }, (_, n) => delivery(`a${n}`, `comment-${n}`));
    const second = Array.from({ length: 100 }, (_, n) => delivery(`b${n}`, `comment-${n}`));
    const all = [...first, ...second, ...first];
    const answers = await Promise.all(
      replicas.flatMap((replica, index) =>
        (index % 2 ? all.toReversed() : all).map((one) => replica.store(one)),
      ),
    );
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(100);
    const { rows } = await pool.query<{ guid: string; body: string }>(
      'select guid, body from app.deliveries',
    );
    expect(rows).toHaveLength(100);
    for (const { guid, body } of rows) expect(body).toBe(delivery(guid).body.toString());
  });

  it('gathers what arrives together, and answers nothing that is not stored', async () => {
    const inserts: { size: number; end: () => void }[] = [];
    const intake = new Intake(
      (deliveries) =>
        new Promise((resolve) => {
          const end = (): void => resolve(new Set(deliveries.map((one) => one.guid)));
          inserts.push({ size: deliveries.length, end });
        }),
    );
    let answered = 0;
    const store = (guid: string): void => {
      void intake.store(delivery(guid)).then(() => (answered += 1));
    };
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const sizes = (): number[] => inserts.map((one) => one.size);
    for (let n = 0; n < 3; n += 1) store(`first ${n}`);
    await turn();
    for (let n = 0; n < 7; n += 1) store(`then ${n}`);
    await turn();
    expect({ sizes: sizes(), answered }).toEqual({ sizes: [3], answered: 0 });
    store('enough for another');
    await turn();
    store('last');
    await turn();
    expect({ sizes: sizes(), answered }).toEqual({ sizes: [3, 8], answered: 0 });
    inserts[1]?.end();
    await turn();
    expect({ sizes: sizes(), answered }).toEqual({ sizes: [3, 8], answered: 8 });
    inserts[0]?.end();
    await turn();
    expect({ sizes: sizes(), answered }).toEqual({ sizes: [3, 8, 1], answered: 11 });
  });
});
