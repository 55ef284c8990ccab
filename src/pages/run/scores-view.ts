import { html } from 'hono/html';
import type { Html } from '../html.ts';
import { listingView } from '../lists/table.ts';
import type { Score } from './load.ts';

const WAITING: Record<Score['attempt_status'], string> = {
  in_flight: 'being judged',
  scored: '',
  failed: 'could not be judged',
};

/** The scores that judges gave a run, with their reasons. */
export function scoresView(scores: Score[]): Html | '' {
  if (scores.length === 0) return '';
  return listingView({
    title: 'Scores',
    columns: ['Scorer', 'Verdict', 'Reason', 'Judge'],
    rows: scores.map((score) => [
      html`<bdi>${score.scorer_name}</bdi>`,
      html`<bdi>${score.classification ?? WAITING[score.attempt_status]}</bdi>`,
      html`<span class="wrap">${score.reason ?? ''}</span>`,
      score.scoring_run_id === null
        ? ''
        : html`<a href="/runs/${encodeURIComponent(score.scoring_run_id)}">its run</a>`,
    ]),
    empty: '',
  });
}
