import { RunlinkError } from '../../base/error.ts';

/** Probot's public default: bodies signed with it prove nothing (github.md, "Probot"). */
const PUBLIC_DEFAULT = 'development';

/** The secrets to check signatures with; throws `webhook_secret_missing` where one proves nothing. */
export function checkSecrets(secrets: readonly string[]): readonly string[] {
  const usable = secrets.filter((secret) => secret.trim() !== '');
  if (usable.length > 0 && !usable.includes(PUBLIC_DEFAULT)) return usable;
  throw new RunlinkError(
    'webhook_secret_missing',
    usable.length === 0
      ? 'There is no webhook secret, so anybody could send events.'
      : `The webhook secret is "${PUBLIC_DEFAULT}", which everybody knows.`,
    { hint: 'Set WEBHOOK_SECRET to the secret of the GitHub App, such as `openssl rand -hex 32`.' },
  );
}
