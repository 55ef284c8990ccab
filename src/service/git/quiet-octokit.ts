const quiet = (): void => {};
/**
 * Octokit writes no lines of its own between those of our log: a refusal is an error that its caller
 * handles, and for somebody who is not a member a 404 is a normal answer.
 */
export const QUIET = { debug: quiet, info: quiet, warn: quiet, error: quiet };
