/** Every character at which the runner, its log on the web or a terminal begins a new line. */
const BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const BREAKS = new RegExp(BREAK, 'g');
/**
 * Characters that the runner ignores when it compares text by culture: it takes `#`, U+00AD, `#[`
 * for `##[`.
 */
const PASSED_OVER = /(?!\t)\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu;

/**
 * One line for the step's log, changed so that the runner finds no command in it (threats.md G11).
 * The runner reads `::name::` at the beginning of a line, after any blanks, and `##[name]` anywhere
 * in it (actions/runner: src/Runner.Common/ActionCommand.cs).
 */
export function logLine(text: string): string {
  return text
    .replaceAll(BREAKS, ' ')
    .replaceAll(PASSED_OVER, '')
    .replaceAll('##[', '# #[')
    .replace(/^(\s*)::/, '$1: :');
}

/** Splits a text into lines, each made safe by `logLine`. */
export function logLines(text: string): string[] {
  return text.split(BREAK).map(logLine);
}
