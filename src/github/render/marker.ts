/** What a comment or pull request of ours is about, kept in an invisible first line. */
export interface RunMark {
  runId: string;
  /** `owner/repo#12`. */
  thread?: string | undefined;
}

const SAFE = /[^\w.@#/:+-]/g;

/**
 * First line of everything we post for a run: one comment per run and thread is found again by it,
 * together with its author (threats.md G8: the text alone proves nothing).
 */
export function runMarker({ runId, thread }: RunMark): string {
  const where = thread === undefined ? '' : ` thread=${clean(thread)}`;
  return `<!-- runlink run=${clean(runId)}${where} -->`;
}

/** Marker of short replies, so that one is written once only. */
export function noteMarker(kind: string, key: string): string {
  return `<!-- runlink note=${clean(kind)} key=${clean(key)} -->`;
}

/** Whether a text begins with this marker, whatever a web editor did to its line ends. */
export function hasMarker(body: string, marker: string): boolean {
  return body.trimStart().startsWith(marker);
}

const RUN = /^\s*<!-- runlink run=(\S+)(?: thread=(\S+))? -->/;

/** The run a text of ours belongs to. */
export function readRunMarker(body: string): RunMark | undefined {
  const match = RUN.exec(body);
  return match?.[1] === undefined ? undefined : { runId: match[1], thread: match[2] };
}

function clean(value: string): string {
  return value.replaceAll(SAFE, '_').replaceAll('--', '__');
}
