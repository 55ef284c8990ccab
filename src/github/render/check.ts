import { isTerminal } from '../../contract/run.ts';
import { CHECK_TEXT_MAX } from './cut.ts';
import { renderBody, headline, sessionLink, type Report } from './report.ts';
import { ENDINGS, type Conclusion } from './state.ts';

/** The content of a check, for creating and for updating it. */
export interface CheckContent {
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion?: Conclusion;
  details_url?: string;
  started_at?: string;
  completed_at?: string;
  output: { title: string; summary: string; annotations?: CheckAnnotation[] };
  actions?: CheckButton[];
}

export interface CheckAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  annotation_level: 'failure';
  message: string;
}

/**
 * GitHub shows buttons on completed checks only: label up to 20, description up to 40 characters.
 */
export interface CheckButton {
  label: string;
  description: string;
  identifier: string;
}

/** Longest title of a check. */
export const CHECK_TITLE_MAX = 255;

/**
 * The check of a run: completed if the run has ended, or as neutral if nobody watches it any more.
 * It depends on the run alone, so the same state is never written twice.
 */
export async function renderCheck(
  report: Report,
  name: string,
  buttons?: CheckButton[],
): Promise<CheckContent> {
  const { run } = report;
  const link = sessionLink(run);
  const started = run.started_at ?? run.created_at;
  return {
    name,
    ...progressOf(report, buttons),
    ...(started && { started_at: started }),
    ...(link && { details_url: link }),
    output: {
      title: headline(report).slice(0, CHECK_TITLE_MAX).toWellFormed(),
      summary: await renderBody({ ...report, progress: undefined }, CHECK_TEXT_MAX),
    },
  };
}

function progressOf(
  { run, unwatched }: Report,
  buttons: CheckButton[] | undefined,
): Pick<CheckContent, 'status' | 'conclusion' | 'completed_at' | 'actions'> {
  const ending = isTerminal(run.state) ? ENDINGS[run.state].conclusion : undefined;
  const conclusion = ending ?? (unwatched ? 'neutral' : undefined);
  if (!conclusion) return { status: run.state === 'QUEUED' ? 'queued' : 'in_progress' };
  return {
    status: 'completed',
    conclusion,
    ...(run.finished_at && { completed_at: run.finished_at }),
    ...(buttons && { actions: buttons }),
  };
}
