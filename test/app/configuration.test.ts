import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { parseYaml } from '../../src/base/yaml.ts';
import { repositoryConfigSchema } from '../../src/app/config/json-schema.ts';
import { DEFAULT_CONFIG, repositoryConfig } from '../../src/app/config/schema.ts';
import { as, comment, commentsOn, deliver, openAppDatabase, startApp } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService } from '../support/fake-service.ts';
import { pushFile, startStandIn } from '../support/standin.ts';

const EXAMPLE = readFileSync(resolve(import.meta.dirname, '../../examples/runlink.yml'), 'utf8');
const PUBLISHED = resolve(import.meta.dirname, '../../docs/runlink-yml.schema.json');

const soon = { timeout: 15_000, interval: 50 };

describe('.github/runlink.yml', () => {
  it('needs nothing: everything has a default', () => {
    expect(DEFAULT_CONFIG).toMatchObject({ 'when-busy': 'follow-up', 'allow-forks': false });
  });

  it('is described by the published schema as the code reads it', () => {
    const published: unknown = JSON.parse(readFileSync(PUBLISHED, 'utf8'));
    expect(published).toEqual(JSON.parse(JSON.stringify(repositoryConfigSchema())));
    const validate = new Ajv({ strict: false }).compile(repositoryConfigSchema());
    validate(parse(EXAMPLE));
    expect(validate.errors).toBeNull();
    expect(parseYaml(EXAMPLE, repositoryConfig)).toMatchObject({ ok: true });
  });

  it.each([
    ['commands:\n  Fix:\n    prompt: x\n', 3, 'lower-case'],
    ['commands:\n  status:\n    prompt: x\n', 3, 'a command of Runlink itself'],
    ['commands:\n  fix:\n    description: no prompt\n', 3, 'needs a prompt or a skill'],
    ['when-busy: queue\n', 1, 'follow-up'],
    ['allow-forks: yes please\n', 1, 'boolean'],
    ['users: ["*"]\n', 1, 'exactly one login'],
    ['triggers:\n  - on: label\n    label: agent\n    command: nope\n', 4, 'no command "nope"'],
    ['colour: blue\n', 1, 'not a known setting'],
  ])('places the fault of %j', (text, line, message) => {
    const parsed = parseYaml(text, repositoryConfig);
    if (parsed.ok) throw new Error('was read');
    expect(parsed.issues[0]?.line).toBe(line);
    expect(parsed.issues.map((issue) => issue.message).join()).toContain(message);
  });
});

async function stage() {
  const github = await startStandIn();
  const service = await startFakeService();
  const database = await openAppDatabase((await useTestDatabase()).url);
  const app = await startApp({ database, github, service, windows: [] });
  github.setWebhookUrl(app.webhookUrl);
  const { token } = github.maintainer;
  const configure = (content: string): Promise<string> => pushConfig(github, content, token);
  return { github, service, database, app, configure };
}

async function pushConfig(
  github: Awaited<ReturnType<typeof startStandIn>>,
  content: string,
  token: string,
): Promise<string> {
  return pushFile(github, { branch: 'main', file: '.github/runlink.yml', content, token });
}

describe('a repository with a configuration', () => {
  const CONFIG = `
commands:
  changelog:
    description: Write the changelog entry
    prompt: "Write a changelog entry. {{instruction}}"
    model: big
  release:
    prompt: Release it
    permission: admin
triggers:
  - on: label
    label: agent
    command: changelog
limits:
  per-pull-request: 2
`;

  it('has its own commands, shown by help, and starts them on a label', async () => {
    const { github, service, configure } = await stage();
    const { owner, name: repo } = github.repository;
    await configure(CONFIG);
    await comment(github, github.maintainer, '/agent changelog for the fix\n\n/agent help');
    await vi.waitFor(async () => {
      expect(service.runs[0]?.prompt).toContain('Write a changelog entry. for the fix');
      expect(service.runs[0]?.agent_config).toMatchObject({ model_id: 'big' });
      const bodies = (await commentsOn(github)).map((one) => one.body).join();
      expect(bodies).toContain('`/agent changelog`: Write the changelog entry');
    }, soon);
    await vi.waitFor(() => expect(service.runs[0]?.state).toBe('SUCCEEDED'), soon);
    await as(github, github.maintainer).request(
      'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
      { owner, repo, issue_number: 1, labels: ['agent'] },
    );
    await vi.waitFor(() => expect(service.runs).toHaveLength(2), soon);
    await vi.waitFor(() => expect(service.runs[1]?.state).toBe('SUCCEEDED'), soon);
    await comment(github, github.maintainer, '/agent new one too many');
    await vi.waitFor(async () => {
      const bodies = (await commentsOn(github)).map((one) => one.body).join();
      expect(bodies).toContain('the limit is reached');
    }, soon);
    expect(service.runs).toHaveLength(2);
  });

  it('that is broken is shown on the commit, line by line, and the last good one holds', async () => {
    const { github, service, configure, app } = await stage();
    const { owner, name: repo } = github.repository;
    await configure(CONFIG);
    await comment(github, github.maintainer, '/agent changelog');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    await vi.waitFor(() => expect(service.runs[0]?.state).toBe('SUCCEEDED'), soon);
    const sha = await configure(`${CONFIG}\ncolour: blue\n`);
    const payload = {
      ref: 'refs/heads/main',
      after: sha,
      repository: { full_name: `${owner}/${repo}`, html_url: github.url, default_branch: 'main' },
      commits: [{ added: [], modified: ['.github/runlink.yml'], removed: [] }],
      sender: { login: github.maintainer.login, type: 'User' },
      installation: { id: github.app.installationId },
    };
    await deliver(app, github.app.webhookSecret, 'push', payload);
    await vi.waitFor(async () => {
      const { data } = await as(github, github.maintainer).request(
        'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
        { owner, repo, ref: sha },
      );
      const check = data.check_runs.find((one) => one.name === 'Runlink configuration');
      expect(check).toMatchObject({ conclusion: 'failure' });
      expect(check?.output.summary).toContain('.github/runlink.yml:17:1: colour');
    }, soon);
    await comment(github, github.maintainer, '/agent changelog again');
    await vi.waitFor(() => expect(service.runs).toHaveLength(2), soon);
    expect(service.runs[1]?.prompt).toContain('Write a changelog entry. again');
  });
});
