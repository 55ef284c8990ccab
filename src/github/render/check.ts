import { isTerminal } from '../../contract/run.ts';
import { CHECK_TEXT_MAX } from './cut.ts';
import { renderBody, headline, sessionLink, type Report } from './report.ts';
import { ENDINGS, type Conclusion } from './state.ts';

/** Body of a check run as both the create and the update route take it. */
export interface CheckBody {
  name: string;
  external_id: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion?: Conclusion;
  details_url?: string;
  started_at?: string;
  completed_at?: string;
  output: { title: string; summary: string };
  actions?: { label: string; description: string; identifier: string }[];
}

const TITLE_MAX = 255;

/** The check of a run: complete when the run has ended or nobody watches it any more (then neutral). */
export async function renderCheck(report: Report, name: string): Promise<CheckBody> {
  const { run, unwatched } = report;
  const link = sessionLink(run);
  const ending = isTerminal(run.state) ? ENDINGS[run.state].conclusion : undefined;
  const conclusion = ending ?? (unwatched ? 'neutral' : undefined);
  const completedAt = run.finished_at ?? report.now.toISOString();
  return {
    name,
    external_id: run.run_id,
    status: conclusion ? 'completed' : run.state === 'QUEUED' ? 'queued' : 'in_progress',
    ...(conclusion ? { conclusion, completed_at: completedAt } : {}),
    ...(link ? { details_url: link } : {}),
    output: {
      title: headline(report).slice(0, TITLE_MAX).toWellFormed(),
      summary: await renderBody(report, CHECK_TEXT_MAX),
    },
  };
}
