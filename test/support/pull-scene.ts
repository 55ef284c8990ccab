import { issueOf, type AppWorld, type Place, type Sent } from './app-world.ts';
import type { FakeRun } from './fake-service.ts';

let heads = 0;

/** A commit that no other pull request has as its head. */
export const newSha = (): string => (heads += 1).toString(16).padStart(40, '0');

/** A pull request of GitHub's at this place, from this branch; answers its address. */
export function addPull(
  { github }: AppWorld,
  place: Place,
  sha: string,
  { login = 'alice', ref = 'topic' }: { login?: string; ref?: string } = {},
): string {
  const repo = { full_name: place.repository };
  const html_url = `https://github.example/${place.repository}/pull/${place.number}`;
  const head = { ref, sha, repo };
  const base = { ref: 'main', repo };
  github.addPull({ number: place.number, html_url, head, base, user: { login } });
  return html_url;
}

export interface PullScene {
  place: Place;
  sha: string;
  said: Sent;
  run: FakeRun;
}

/** A run that somebody asked for on a pull request. */
export async function askOnPull(world: AppWorld): Promise<PullScene> {
  const place = world.place();
  const sha = newSha();
  const html_url = addPull(world, place, sha);
  const issue = issueOf(place, { pull_request: { url: 'x' }, html_url });
  const said = await world.say(place, '/agent review this', undefined, { issue });
  await world.reasonOf(said);
  return { place, sha, said, run: await world.runOf(place) };
}

export function checksOf({ github }: AppWorld, run: FakeRun): Record<string, unknown>[] {
  return github.checks.filter((check) => check['external_id'] === run.run_id);
}
