import { describe, expect, it } from 'vitest';
import { createIntake } from '../../src/app/inbox/intake.ts';
import type { NewDelivery } from '../../src/app/store/deliveries.ts';
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
    const replicas = Array.from({ length: 4 }, () => createIntake(pool));
    const first = Array.from({ length: 100 }, (_, n) => delivery(`a${n}`, `comment-${n}`));
    const second = Array.from({ length: 100 }, (_, n) => delivery(`b${n}`, `comment-${n}`));
    const all = [...first, ...second, ...first];
    const answers = await Promise.all(
      replicas.flatMap((replica, index) =>
        (index % 2 ? all.toReversed() : all).map((one) => replica(one)),
      ),
    );
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(100);
    const { rows } = await pool.query<{ guid: string; body: string }>(
      'select guid, body from app.deliveries',
    );
    expect(rows).toHaveLength(100);
    for (const { guid, body } of rows) expect(body).toBe(delivery(guid).body.toString());
  });

  it('refuses only the delivery that the database cannot take, not those that came with it', async () => {
    const { pool } = await openAppDatabase((await useTestDatabase()).url);
    const intake = createIntake(pool);
    const answers = await Promise.allSettled(
      ['one', 'two', 'nul \u0000'].map((guid) => intake(delivery(guid))),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const { rows } = await pool.query<{ guid: string }>('select guid from app.deliveries');
    expect(rows.map(({ guid }) => guid).toSorted()).toEqual(['one', 'two']);
  });
});
