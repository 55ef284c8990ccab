import { z } from 'zod';
import { text } from './primitives.ts';

const SUMMARY_MAX = 65_536;

/** Body of POST /harness-support/finish-task (interface.md 4.6). */
export const finishTaskRequest = z.object({ success: z.boolean(), summary: text(SUMMARY_MAX) });
export type FinishTaskRequest = z.infer<typeof finishTaskRequest>;
