import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { checkSecrets } from '../../src/app/http/secrets.ts';
import { isSigned } from '../../src/app/http/signature.ts';
import { deliver, openAppDatabase, startApp } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService } from '../support/fake-service.ts';
import { startStandIn } from '../support/standin.ts';

const require = createRequire(import.meta.url);
const examples = require('@octokit/webhooks-examples') as {
  name: string;
  examples: Record<string, unknown>[];
}[];

async function stage() {
  const github = await startStandIn();
  const service = await startFakeService();
  const database = await openAppDatabase((await useTestDatabase()).url);
  const app = await startApp({ database, github, service, windows: [] });
  const stored = async (): Promise<{ guid: string; reasons: string[] | null }[]> =>
    (await database.pool.query('select guid, reasons from app.deliveries order by id')).rows;
  return { github, service, database, app, secret: github.app.webhookSecret, stored };
}

const created = {
  action: 'created',
  installation: { id: 100 },
  repository: { full_name: 'acme/widgets', html_url: 'http://x', default_branch: 'main' },
  sender: { login: 'octocat', type: 'User' },
  issue: {
    number: 1,
    node_id: 'I_1',
    title: 't',
    body: '',
    html_url: 'http://x',
    user: { login: 'octocat' },
  },
  comment: {
    id: 7,
    node_id: 'IC_7',
    body: '/agent help',
    html_url: 'http://x',
    user: { login: 'octocat' },
    created_at: '2026-01-01T00:00:00Z',
  },
};

describe('a webhook', () => {
  it('without the right signature is answered 401, and nothing is stored (threats.md G10)', async () => {
    const { app, stored } = await stage();
    expect(await deliver(app, 'another secret', 'issue_comment', created)).toEqual({
      status: 401,
      reason: 'bad_signature',
    });
    expect(await stored()).toEqual([]);
  });

  it('is taken once, whatever its delivery id says (threats.md G4)', async () => {
    const { app, secret, stored } = await stage();
    const send = (guid: string) => deliver(app, secret, 'issue_comment', created, guid);
    expect(await send('one')).toEqual({ status: 202, reason: 'stored' });
    expect(await send('one')).toEqual({ status: 202, reason: 'duplicate_delivery' });
    expect(await send('two')).toEqual({ status: 202, reason: 'duplicate_delivery' });
    expect((await stored()).map((row) => row.guid)).toEqual(['one']);
  });

  it('of more than 25 MB is answered 413 before it is read', async () => {
    const { app } = await stage();
    const { hostname, port } = new URL(app.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: ${26 * 1024 * 1024}\r\n\r\n`,
        );
      });
      socket.once('data', (data) => {
        resolve(data.toString());
        socket.destroy();
      });
    });
    expect(answer).toMatch(/^HTTP\/1.1 413/);
  });

  it('of any kind that GitHub documents gets a reason code and does no harm', async () => {
    const { app, secret, stored, github } = await stage();
    const payloads = examples.flatMap(({ name, examples: all }) =>
      all.map((payload) => ({ name, payload })),
    );
    expect(payloads.length).toBeGreaterThan(300);
    const reasons = new Map<string, number>();
    for (const [position, { name, payload }] of payloads.entries()) {
      const whole = { ...payload, installation: { id: github.app.installationId } };
      const { status, reason } = await deliver(app, secret, name, whole, `example-${position}`);
      expect({ name, status }).toEqual({ name, status: 202 });
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    expect([...reasons.keys()]).toContain('stored');
    expect([...reasons.keys()]).toContain('unsupported_event');
    await vi.waitFor(
      async () => {
        const rows = await stored();
        expect(rows.filter((row) => row.reasons === null)).toEqual([]);
        expect(rows.filter((row) => row.reasons?.includes('internal_error'))).toEqual([]);
      },
      { timeout: 60_000, interval: 200 },
    );
  });
});

describe('the webhook secret', () => {
  // The example of GitHub's own documentation, "Validating webhook deliveries".
  const secret = "It's a Secret to Everybody";
  const body = Buffer.from('Hello, World!');
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  it('holds the old and the new one during a rotation', () => {
    expect(isSigned(body, signature, [secret])).toBe(true);
    expect(isSigned(body, signature, ['new', secret])).toBe(true);
    expect(isSigned(body, signature, ['new'])).toBe(false);
    expect(isSigned(body, signature.toUpperCase(), [secret])).toBe(false);
    expect(isSigned(body, undefined, [secret])).toBe(false);
    expect(isSigned(Buffer.from('Hello, World?'), signature, [secret])).toBe(false);
  });

  it.each([[[]], [['']], [['development']], [['good', 'development']]])(
    'refuses to start with %j',
    (secrets) => {
      expect(() => checkSecrets(secrets)).toThrow(/webhook secret/);
    },
  );
});
