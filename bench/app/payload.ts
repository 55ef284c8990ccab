import { createHmac, generateKeyPairSync } from 'node:crypto';

export const SECRET = 'a secret for measuring';
export const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

export interface Webhook {
  body: string;
  headers: Record<string, string>;
}

const user = { login: 'octocat', id: 1, node_id: 'U_1', type: 'User', site_admin: false };

/** A comment as GitHub delivers it, about 4 kB, signed. */
export function commentWebhook(options: {
  number: number;
  installation: number;
  text: string;
  guid: string;
}): Webhook {
  const { number, installation, text, guid } = options;
  const name = `acme/widgets-${installation}`;
  const url = `https://github.example/${name}`;
  const body = JSON.stringify({
    action: 'created',
    issue: {
      id: number,
      node_id: `I_${installation}_${number % 100}`,
      number: number % 100,
      title: 'Something is broken',
      body: 'It does not work. '.repeat(100),
      html_url: `${url}/issues/${number % 100}`,
      user,
      labels: [],
      state: 'open',
      comments: 0,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    },
    comment: {
      id: number,
      node_id: `IC_${number}`,
      html_url: `${url}/issues/${number % 100}#issuecomment-${number}`,
      user,
      body: text,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    },
    repository: {
      id: installation,
      full_name: name,
      html_url: url,
      default_branch: 'main',
      description: 'A repository. '.repeat(60),
      owner: user,
    },
    sender: user,
    installation: { id: installation },
  });
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issue_comment',
      'x-github-delivery': guid,
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    },
  };
}
