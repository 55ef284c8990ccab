import { RunlinkError } from '../../../base/error.ts';
import { logStep, warn, type RunContext } from '../run-context.ts';

const TELL_MS = 20_000;

/**
 * Pulls the run's image if needed, and logs progress while that takes time. Throws `image_failed`,
 * `image_unusable`, or `sandbox_unavailable` if this sandbox has no images.
 */
export async function prepareImage(run: RunContext): Promise<void> {
  const { sandbox } = run.worker;
  const image = run.lease.environment?.image;
  const inPod = sandbox.defaultImage;
  if (image === undefined || image === inPod) return;
  if (inPod !== undefined)
    return await warn(
      run,
      `The environment names the image ${image}, and this run works in another, ${inPod}: in a pod it is that of the container "agent" in the pod\u2019s template.`,
    );
  if (!sandbox.images)
    throw new RunlinkError(
      'sandbox_unavailable',
      `The run works in the image ${image}, and this worker keeps runs in ${sandbox.name}.`,
      { hint: 'Set `sandbox: {driver: container}` in its runlink.yaml, or take `image` out.' },
    );
  const coming = sandbox.images.take(image);
  const tell = async (text: string): Promise<void> =>
    run.events.emit([{ type: 'notice', level: 'info', text }]);
  const timer = setInterval(() => {
    if (coming.pulls()) void tell(`The image ${image} is being pulled. ${coming.progress()}`);
  }, TELL_MS);
  try {
    const id = Promise.race([coming.ready, stopped(run)]);
    run.image = await logStep(run, 'image', `Image ${image}`, () => id);
  } finally {
    clearInterval(timer);
  }
}

/** Rejects when this run is stopped; the pull continues for other runs. */
function stopped({ stop }: RunContext): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(stop.signal.reason as Error);
    if (stop.signal.aborted) end();
    else stop.signal.addEventListener('abort', end, { once: true });
  });
}
