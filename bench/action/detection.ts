import { commentEvent, onPullRequest, startWorld } from '../../test/support/action-world.ts';
import { end } from '../../test/support/fake-service.ts';

/** How late the built Action notices the end of a run, and what it asks of GitHub on the way. */
const ROUNDS = Number(process.argv[2] ?? 15);
const RUN_MS = 400;

const delays: number[] = [];
const calls: Record<'issue' | 'pull request', number[]> = { issue: [], 'pull request': [] };
for (let round = 0; round < ROUNDS; round += 1) {
  const world = await startWorld();
  const isPull = round % 2 === 1;
  world.github.addPull({ number: 12 });
  let endedAt = 0;
  world.service.play = (run, service) => {
    setTimeout(() => service.change(run, { state: 'INPROGRESS' }), RUN_MS / 2);
    setTimeout(() => {
      endedAt = performance.now();
      end(service, run, 'SUCCEEDED');
    }, RUN_MS);
  };
  const issue = isPull ? onPullRequest(world.github) : {};
  await (
    await world.start(commentEvent('/agent fix it', { issue }))
  ).done;
  const seen = world.service.seen.find(({ path }) => path.endsWith('/conversation'));
  if (seen) delays.push(seen.at - endedAt);
  const isChange = ({ method }: { method: string }): boolean => method === 'PATCH';
  const counted = world.github.seen.filter((request) => !isChange(request)).length;
  calls[isPull ? 'pull request' : 'issue'].push(counted);
  await world.close();
}
const sorted = delays.toSorted((a, b) => a - b);
const at = (share: number): string =>
  (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
process.stdout.write(`end noticed after ${at(0.5)} ms (median), ${at(1)} ms (most)\n`);
for (const [place, counts] of Object.entries(calls)) {
  process.stdout.write(
    `GitHub calls on an ${place}, without one per change shown: ${Math.max(...counts)}\n`,
  );
}
