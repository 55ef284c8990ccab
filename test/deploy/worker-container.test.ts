import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { as, comment, openAppDatabase, startApp } from '../support/app.ts';
import { IMAGE, podman, prepareContainers } from '../support/containers.ts';
import { startTestService } from '../support/service.ts';
import { startStandIn } from '../support/standin.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const without = isLong ? await prepareContainers() : 'only in test:long';
/** As docker's names are called in podman. */
const PODMAN: Record<string, string> = {
  'systempaths=unconfined': 'unmask=ALL',
  'apparmor=unconfined': '',
};

/** What the compose file lets the container of the service do. */
function rightsOfCompose(): string[] {
  const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), {
    merge: true,
  }) as { services: Record<string, { cap_drop?: string[]; security_opt?: string[] }> };
  const { cap_drop = [], security_opt = [] } = services['service'] ?? {};
  const options = security_opt.map((one) => PODMAN[one] ?? one).filter(Boolean);
  return [
    ...cap_drop.map((name) => `--cap-drop=${name}`),
    ...options.map((one) => `--security-opt=${one}`),
  ];
}

describe.runIf(without === undefined)(
  'a worker in a container with the rights of the compose file',
  () => {
    it('keeps an agent in bubblewrap, and a comment becomes a pull request', async () => {
      const github = await startStandIn();
      const { owner, name, cloneUrl, issueNumber } = github.repository;
      const service = await startTestService({
        config: {
          harnesses: {
            patch: {
              agent: 'exec',
              command: [
                '/bin/sh',
                '-c',
                'cat >/dev/null; ls /data || echo no data; echo x >FIXED.md',
              ],
            },
          },
          default_harness: 'patch',
          allow_insecure_remotes: true,
          github: { api_url: github.apiUrl },
          environments: [
            {
              id: 'containerEnvironment01',
              name,
              repositories: [{ owner, repo: name, clone_url: cloneUrl }],
            },
          ],
        },
        variables: { APP_ID: String(github.app.id), PRIVATE_KEY: github.app.privateKey },
      });
      onTestFinished(() => service.close());
      const apiKey = await service.personalKey();
      const app = await startApp({
        database: await openAppDatabase(service.databaseUrl),
        github,
        service: { apiUrl: service.baseUrl, apiKey },
      });
      github.setWebhookUrl(app.webhookUrl);
      await comment(github, github.maintainer, '/agent mend it');

      const data = mkdtempSync(join(tmpdir(), 'runlink-worker-'));
      onTestFinished(() => rmSync(data, { recursive: true, force: true }));
      chmodSync(data, 0o777);
      // What the image would have: programs of this machine.
      const shown = ['/usr', ROOT];
      const words = ['worker', '--once', '--wait', '60s', '--data', '/data/worker'];
      await podman(
        'run',
        '--rm',
        '--pull=never',
        '--network=host',
        '--user=1000:1000',
        ...rightsOfCompose(),
        ...shown.map((path) => `--volume=${path}:${path}:ro`),
        `--volume=${data}:/data`,
        '--env=HOME=/data',
        '--env=TMPDIR=/data',
        `--env=RUNLINK_BASE_URL=${service.url}`,
        `--env=RUNLINK_API_KEY=${await service.workerKey('default')}`,
        IMAGE,
        process.execPath,
        join(ROOT, 'src/cli/main.ts'),
        ...words,
      );
      const octokit = as(github, github.maintainer);
      const { data: pulls } = await octokit.request('GET /repos/{owner}/{repo}/pulls', {
        owner,
        repo: name,
      });
      expect(pulls).toHaveLength(1);
      const listed = await service.request('GET', '/agent/runs', { key: apiKey });
      const { runs } = (await listed.json()) as { runs: { run_id: string; state: string }[] };
      const [run] = runs;
      expect(run?.state).toBe('SUCCEEDED');
      const { rows } = await service.service.context.database.pool.query<{ text: string }>(
        `select string_agg(data::text, ' ') as text from runlink.run_events where run_id = $1`,
        [run?.run_id],
      );
      // What the agent saw of the worker's own files.
      expect(rows[0]?.text).toContain('no data');
      expect(rows[0]?.text).toContain('bwrap');
      await vi.waitFor(async () => {
        const { data: comments } = await octokit.request(
          'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
          { owner, repo: name, issue_number: issueNumber },
        );
        expect(comments.map(({ body }) => body).join('\n')).toContain(`/pull/${pulls[0]?.number}`);
      }, 30_000);
    }, 240_000);
  },
);
