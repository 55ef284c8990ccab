/** What a comment or pull request of ours is about; kept in an invisible first line. */
export interface RunMark {
  runId: string;
  /** `owner/repo#12`. */
  thread?: string | undefined;
}

const SAFE = /[^\w.@#/:+-]/g;

/**
 * First line of everything that we post for a run. It identifies the one comment per run and
 * thread, together with the author (threats.md G8: the text alone proves nothing).
 */
export function runMarker({ runId, thread }: RunMark): string {
  const where = thread === undefined ? '' : ` thread=${clean(thread)}`;
  return `<!-- runlink run=${clean(runId)}${where} -->`;
}

/** First line of a short reply, so that it is posted only once. */
export function noteMarker(kind: string, key: string): string {
  return `<!-- runlink note=${clean(kind)} key=${clean(key)} -->`;
}

/** Whether a text begins with this marker. Web editors may have changed the line ends. */
export function hasMarker(body: string, marker: string): boolean {
  return body.trimStart().startsWith(marker);
}

const RUN = /^\s*<!-- runlink run=(\S+)(?: thread=(\S+))? -->/;

/** The run that one of our texts belongs to. */
export function readRunMarker(body: string): RunMark | undefined {
  const match = RUN.exec(body);
  return match?.[1] === undefined ? undefined : { runId: match[1], thread: match[2] };
}

function clean(value: string): string {
  return value.replaceAll(SAFE, '_').replaceAll('--', '__');
}
