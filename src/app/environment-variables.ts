import { readFileSync } from 'node:fs';
import { RunlinkError } from '../base/error.ts';
import { isPem, pemText } from '../base/pem.ts';
import type { AppSettings } from './context.ts';
import type { GithubCredentials } from './connect-github.ts';

export interface AppVariables {
  credentials: Omit<GithubCredentials, 'apiUrl'>;
  secrets: string[];
  apiKey: string;
  settings: Partial<Pick<AppSettings, 'phrase'>>;
}

type Variables = Record<string, string | undefined>;

/**
 * Reads the App's environment variables, which have Probot's names. `WEBHOOK_SECRET_PREVIOUS` holds
 * the old secret during a rotation; `TRIGGER_PHRASE` is the word that begins a command. Throws
 * `missing_variable`, with the name and how to set it.
 */
export function readAppVariables(variables: Variables): AppVariables {
  const appId = Number(required(variables, 'APP_ID', 'the number GitHub shows as App ID'));
  if (!Number.isInteger(appId) || appId <= 0) {
    throw new RunlinkError('invalid_variable', 'APP_ID is not a number.', {
      hint: 'Set APP_ID to the number GitHub shows as App ID.',
    });
  }
  return {
    credentials: { appId, privateKey: readPrivateKey(variables) },
    secrets: [variables['WEBHOOK_SECRET'] ?? '', variables['WEBHOOK_SECRET_PREVIOUS'] ?? ''],
    apiKey: required(variables, 'RUNLINK_API_KEY', 'an API key of the run service'),
    settings: readPhrase(variables),
  };
}

function readPhrase(variables: Variables): AppVariables['settings'] {
  const phrase = variables['TRIGGER_PHRASE']?.trim();
  if (!phrase) return {};
  if (/^\S{2,50}$/.test(phrase)) return { phrase };
  throw new RunlinkError('invalid_variable', 'TRIGGER_PHRASE is not one word.', {
    hint: 'Set TRIGGER_PHRASE to what a command begins with, such as /agent.',
  });
}

/**
 * PEM text. Where a variable cannot hold line ends, they may be written as `
 * `, or all of it as base64.
 */
function readPrivateKey(variables: Variables): string {
  const path = variables['PRIVATE_KEY_PATH'];
  const text = path
    ? readFileSync(path, 'utf8')
    : required(variables, 'PRIVATE_KEY', 'the private key GitHub made for the App (PEM)');
  const plain = pemText(text);
  if (!isPem(plain)) {
    throw new RunlinkError('invalid_variable', 'PRIVATE_KEY is not a PEM key.', {
      hint: 'Set PRIVATE_KEY to the whole text of the .pem file, or PRIVATE_KEY_PATH to its path.',
    });
  }
  return plain;
}

function required(variables: Variables, name: string, what: string): string {
  const value = variables[name]?.trim();
  if (value) return value;
  throw new RunlinkError('missing_variable', `${name} is not set.`, {
    hint: `Set ${name} to ${what}.`,
  });
}
