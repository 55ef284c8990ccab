/** Where the runner, its log on the web or a terminal begins a new line. */
const BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const BREAKS = new RegExp(BREAK, 'g');
/** What the runner passes over where it compares by culture: `#`, U+00AD, `#[` is `##[` to it. */
const PASSED_OVER = /(?!\t)\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu;

/**
 * One line of the step's log in which the runner finds no command of its own (threats.md G11). It takes
 * `::name::` for one at the beginning of a line, behind any blanks, and `##[name]` anywhere in it
 * (actions/runner: src/Runner.Common/ActionCommand.cs).
 */
export function logLine(text: string): string {
  return text
    .replaceAll(BREAKS, ' ')
    .replaceAll(PASSED_OVER, '')
    .replaceAll('##[', '# #[')
    .replace(/^(\s*)::/, '$1: :');
}

/** The lines of a text, each as `logLine` has it. */
export function logLines(text: string): string[] {
  return text.split(BREAK).map(logLine);
}
