import { inertLine } from '../../github/render/inert-line.ts';
import { runMarker } from '../../github/render/marker.ts';
import { sessionLink, type Report } from '../../github/render/report.ts';

/**
 * The short note on a pull request that a run opened: which run, where to look, who asked
 * and on which thread (`owner/name#12`).
 */
export function renderPullNote(report: Report, origin: string): string {
  const { run, requester, phrase } = report;
  const link = sessionLink(run);
  const where = origin === report.thread ? '' : ` in ${origin}`;
  const facts = [
    `run \`${inertLine(run.run_id, 100)}\``,
    link && `[session](${link})`,
    requester && `asked by \`${inertLine(requester, 60)}\`${where}`,
  ].filter((fact) => fact !== undefined && fact !== '');
  return [
    runMarker({ runId: run.run_id, thread: report.thread }),
    `This pull request comes from a Runlink ${facts.join(' · ')}.`,
    '',
    `<sub>Write \`${phrase}\` and what else is to be done; the same run continues.</sub>`,
  ].join('\n');
}
