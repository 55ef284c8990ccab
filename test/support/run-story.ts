import type { LogEvent } from '../../src/contract/entry.ts';
import type { WorkerEventBody } from '../../src/contract/event.ts';

const START = Date.parse('2026-11-21T08:00:00.000Z');

/** Events of a log, one second apart, numbered as a worker numbers them. */
export function logOf(...bodies: WorkerEventBody[]): LogEvent[] {
  return bodies.map((body, index) => ({
    ...body,
    seq: index + 1,
    at: new Date(START + index * 1000).toISOString(),
  }));
}

const BEFORE = `export function sum(numbers) {
  let total = 0;
  for (let index = 0; index < numbers.length - 1; index += 1) {
    total += numbers[index];
  }
  return total;
}
`;
const AFTER = BEFORE.replace('numbers.length - 1', 'numbers.length');

export const DIFF = `diff --git a/src/sum.js b/src/sum.js
index 1111111..2222222 100644
--- a/src/sum.js
+++ b/src/sum.js
@@ -1,6 +1,6 @@ export function sum(numbers) {
 export function sum(numbers) {
   let total = 0;
-  for (let index = 0; index < numbers.length - 1; index += 1) {
+  for (let index = 0; index < numbers.length; index += 1) {
     total += numbers[index];
   }
   return total;
diff --git a/CHANGELOG.md b/CHANGELOG.md
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/CHANGELOG.md
@@ -0,0 +1,3 @@
+# Changelog
+
+- Sums no longer leave out the last number.
`;

/** What an agent does that repairs a failing test: every kind of event once or more. */
export function repairStory(): LogEvent[] {
  return logOf(
    {
      type: 'setup',
      step: 'clone',
      title: 'Clone octo/shop',
      started_at: '2026-11-21T08:00:00.000Z',
      finished_at: '2026-11-21T08:00:01.200Z',
    },
    {
      type: 'setup',
      step: 'setup_command',
      title: 'npm ci',
      started_at: '2026-11-21T08:00:01.200Z',
      finished_at: '2026-11-21T08:00:04.900Z',
      output: 'added 42 packages in 3s\n',
    },
    { type: 'agent_started', harness: 'demo', version: '1.0.0', sandbox: 'bubblewrap' },
    { type: 'thought', message_id: 't1', delta: 'The failing test is `sum adds all numbers`. ' },
    { type: 'thought', message_id: 't1', delta: 'I should run it first.' },
    {
      type: 'message',
      message_id: 'm1',
      role: 'assistant',
      delta: "I'll run the tests first to see what fails, then look at `src/sum.js`.",
    },
    {
      type: 'plan',
      entries: [
        { content: 'Run the tests', status: 'completed' },
        { content: 'Find the cause', status: 'in_progress' },
        { content: 'Repair and commit', status: 'pending' },
      ],
    },
    {
      type: 'tool_call',
      call_id: 'c1',
      kind: 'execute',
      title: 'npm test',
      input: { command: 'npm test' },
      status: 'running',
    },
    {
      type: 'tool_call',
      call_id: 'c1',
      output_delta:
        '\u001B[32m✔ sum of nothing is 0\u001B[39m\n\u001B[31m✖ sum adds all numbers\u001B[39m\n\n  AssertionError: 3 !== 6\n      at test/sum.test.js:9:10\n',
    },
    { type: 'tool_call', call_id: 'c1', status: 'failed', exit_code: 1 },
    {
      type: 'tool_call',
      call_id: 'c2',
      kind: 'read',
      title: 'Read src/sum.js',
      status: 'completed',
      paths: ['src/sum.js'],
      output_delta: BEFORE,
    },
    {
      type: 'tool_call',
      call_id: 'c3',
      kind: 'edit',
      title: 'Edit src/sum.js',
      status: 'completed',
      paths: ['src/sum.js'],
      diff: { path: 'src/sum.js', old_text: BEFORE, new_text: AFTER },
    },
    { type: 'permission', title: 'Write to CHANGELOG.md', decision: 'allowed' },
    {
      type: 'tool_call',
      call_id: 'c4',
      kind: 'execute',
      title: 'npm test',
      input: { command: 'npm test' },
      status: 'completed',
      exit_code: 0,
      output_delta:
        '\u001B[32m✔ sum of nothing is 0\n✔ sum adds all numbers\u001B[39m\n\n2 passed\n',
    },
    { type: 'notice', level: 'warn', text: 'The model was slow to answer; retried once.' },
    {
      type: 'changes',
      base_sha: 'a'.repeat(40),
      files: [
        { path: 'src/sum.js', status: 'modified', additions: 1, deletions: 1 },
        { path: 'CHANGELOG.md', status: 'added', additions: 3, deletions: 0 },
      ],
      diff: DIFF,
    },
    {
      type: 'message',
      message_id: 'm2',
      role: 'assistant',
      delta:
        'The loop stopped **one short**: `index < numbers.length - 1`.\n\n| test | before | after |\n|---|---|---|\n| sum of nothing | ✔ | ✔ |\n| sum adds all numbers | ✖ | ✔ |\n\n- [x] test repaired\n- [x] changelog line\n\n```js\nfor (let index = 0; index < numbers.length; index += 1)\n```\n\nSee [the docs](https://example.com/docs).',
    },
    { type: 'turn_end', stop_reason: 'end_turn' },
  );
}

/** Seven files in folders, one of them of a name that nobody can fold. */
export function manyChanges(): WorkerEventBody & { type: 'changes' } {
  const paths = ['README.md', 'lib/a/b/deep.md', 'src/one.js', 'src/two.js', 'src/lib/x/y.js'];
  paths.push('src/lib/x/z.js', `test/${'very-long-name-'.repeat(12)}.js`);
  const hunk = '@@ -1 +1,2 @@\n-before\n+after\n+more\n';
  return {
    type: 'changes',
    base_sha: 'a'.repeat(40),
    files: paths.map((path) => ({ path, status: 'modified', additions: 2, deletions: 1 })),
    diff: paths.map((it) => `diff --git a/${it} b/${it}\n+++ b/${it}\n${hunk}`).join(''),
  };
}
