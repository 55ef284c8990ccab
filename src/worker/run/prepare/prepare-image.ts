import { RunlinkError } from '../../../base/error.ts';
import { logStep, warn, type RunContext } from '../run-context.ts';

const TELL_MS = 10_000;

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
  run.image = await logStep(run, 'image', `Image ${image}`, async (tell) => {
    let ended = false;
    let told = '';
    const look = async (): Promise<void> => {
      if (!coming.pulls()) return;
      const now = `Image ${image} is being pulled. ${await coming.progress()}`.trim();
      if (now === told || ended) return;
      told = now;
      await tell(now);
    };
    const timer = setInterval(() => void look(), TELL_MS);
    void coming.begun.then(look);
    try {
      return await Promise.race([coming.ready, stopped(run)]);
    } finally {
      ended = true;
      clearInterval(timer);
    }
  });
}

/** Rejects when this run is stopped; the pull continues for other runs. */
function stopped({ stop }: RunContext): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(stop.signal.reason as Error);
    if (stop.signal.aborted) end();
    else stop.signal.addEventListener('abort', end, { once: true });
  });
}
