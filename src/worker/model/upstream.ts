import type { ModelProtocol } from '../profile/profile.ts';
import { trimEnd } from '../../base/trim-end.ts';

type KeyHeader = 'x-api-key' | 'authorization' | 'x-goog-api-key';

/** The real address of a model, and the key for it. */
export interface ModelUpstream {
  protocol: ModelProtocol;
  baseUrl: string;
  header: KeyHeader;
  key: string;
}

interface Known {
  baseUrl: string;
  /** Variable in the worker's environment that overrides the address. */
  baseUrlVariable: string;
  /** Variables that may hold the key, and the header that each one goes into. */
  keys: readonly (readonly [variable: string, header: KeyHeader])[];
}

export const UPSTREAMS: Readonly<Record<ModelProtocol, Known>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    keys: [
      ['ANTHROPIC_API_KEY', 'x-api-key'],
      ['ANTHROPIC_AUTH_TOKEN', 'authorization'],
    ],
  },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
    keys: [
      ['OPENAI_API_KEY', 'authorization'],
      ['CODEX_API_KEY', 'authorization'],
    ],
  },
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
    keys: [
      ['GEMINI_API_KEY', 'x-goog-api-key'],
      ['GOOGLE_API_KEY', 'x-goog-api-key'],
    ],
  },
};

/** Variables that may hold the key for models of this protocol. */
export function keyVariablesOf(protocol: ModelProtocol): string[] {
  return UPSTREAMS[protocol].keys.map(([variable]) => variable);
}

/**
 * The model of this protocol according to the worker's environment; undefined if there is no key.
 */
export function findUpstream(
  protocol: ModelProtocol,
  environment: Readonly<Record<string, string | undefined>>,
): ModelUpstream | undefined {
  const known = UPSTREAMS[protocol];
  const found = known.keys.find(([variable]) => Boolean(environment[variable]));
  if (!found) return undefined;
  const [variable, header] = found;
  const baseUrl = environment[known.baseUrlVariable] || known.baseUrl;
  return {
    protocol,
    baseUrl: trimEnd(baseUrl, '/'),
    header,
    key: environment[variable] ?? '',
  };
}
