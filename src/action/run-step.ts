import { runMainStep } from './main-step.ts';
import { runPostStep } from './post-step.ts';
import { leave, left } from './left-for-post-step.ts';

/** The same file is action.yml's `main` and `post`: one bundle, one copy of everything. */
export async function runStep(env: NodeJS.ProcessEnv, interrupt: AbortSignal): Promise<void> {
  if (left('started') === '') {
    leave('started', 'true');
    await runMainStep(env, interrupt);
  } else if (left('finished') === '') {
    await runPostStep(env);
  }
}
