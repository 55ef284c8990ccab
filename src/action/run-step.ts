import { runMainStep } from './main-step.ts';
import { runPostStep } from './post-step.ts';
import { leave, left } from './left-for-post-step.ts';

/** action.yml names this one file as `main` and as `post`, so that there is one bundle. */
export async function runStep(env: NodeJS.ProcessEnv, interrupt: AbortSignal): Promise<void> {
  if (left('started') === '') {
    leave('started', 'true');
    await runMainStep(env, interrupt);
  } else if (left('finished') === '') {
    await runPostStep(env);
  }
}
