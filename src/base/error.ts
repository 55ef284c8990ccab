/**
 * The error that rooms throw at each other: a stable code for programs, a sentence that says what
 * happened, and a hint that says what to do next.
 */
export class RunlinkError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RunlinkError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** The text of anything that was thrown, for logs and reports. */
export function errorMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return messageOf(thrown) ?? String(thrown);
  const cause = thrown.cause instanceof Error ? thrown.cause.message : '';
  return thrown.message.includes(cause) ? thrown.message : `${thrown.message} (${cause})`;
}

/** Some libraries throw plain objects. */
function messageOf(told: unknown): string | undefined {
  const isObject = typeof told === 'object' && told !== null && 'message' in told;
  return isObject && typeof told.message === 'string' ? told.message : undefined;
}

/** The first line of an error's message. */
export function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n', 1)[0] ?? '';
}

/** Whether a message of the system or of a program says that the disk is full. */
export function isDiskFull(said: string): boolean {
  return /ENOSPC|no space left on device/i.test(said);
}
