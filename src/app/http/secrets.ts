import { RunlinkError } from '../../base/error.ts';

/**
 * Probot's public default secret: a signature made with it proves nothing (github.md, "Probot").
 */
const PUBLIC_DEFAULT = 'development';

/**
 * Returns the secrets to check signatures with. Throws `webhook_secret_missing` if one of them
 * proves nothing.
 */
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
