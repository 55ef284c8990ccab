import type { ServiceContext } from '../context.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { listScores } from './list-scores.ts';
import { reportScores } from './report-scores.ts';

export function createScoreHandlers(context: ServiceContext): ResourceHandlers<'scores'> {
  return {
    report: async ({ caller, params, body }) => {
      const answer = await reportScores(context, caller, params.runId, body);
      const someRejected = answer.results.some(({ status }) => status === 'rejected');
      return jsonAnswer(answer, someRejected ? 206 : 200);
    },
    list: ({ caller, params }) => listScores(context, caller, params.runId),
  };
}
