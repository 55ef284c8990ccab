import type { Confinement, View } from '../sandbox/confinement.ts';
import { assertUnseen, joinViews } from '../sandbox/view.ts';
import type { WorkerContext } from './run-context.ts';

/** What differs between the programs of a run. */
export type Wanted = Pick<
  Confinement,
  'image' | 'command' | 'cwd' | 'env' | 'writable' | 'network' | 'doors' | 'processMarker'
> & {
  /** What is seen in addition to what every run sees. */
  views: readonly View[];
};

/** The one place that decides what a program of a run may see and use. */
export function confine(worker: WorkerContext, { views, ...wanted }: Wanted): Confinement {
  const view = joinViews(wanted.image === undefined ? worker.view : worker.imageView, ...views);
  assertUnseen(view, worker.unseen);
  return { ...wanted, ...view, user: worker.sandbox.user, limits: worker.limits };
}
