/**
 * A judge without a model, as an operator's `exec` command: reads the question on its input and
 * sends one verdict for each scorer that is named there, with the key of its own run.
 */
import { text } from 'node:stream/consumers';

const { RUNLINK_API_KEY: key, RUNLINK_BASE_URL: base } = process.env;
const question = await text(process.stdin);
const runId = /finished agent run ([0-9a-f-]{36})/.exec(question)?.[1];
const isGood =
  question.includes('# What the agent said last') && question.includes('the answer is 42');
const results = [...question.matchAll(/^## Scorer (\d+): /gm)].map(([, id]) => ({
  scorer_id: Number(id),
  classification: isGood ? 'good' : 'bad',
  reason: 'It says what the answer is.',
}));
const answer = await fetch(`${base}/agent/runs/${runId}/scores`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ results }),
});
process.stdout.write(`${answer.status} ${await answer.text()}\n`);
process.exitCode = answer.status === 200 ? 0 : 1;
