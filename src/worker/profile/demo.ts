import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { above } from '../sandbox/program-view.ts';
import type { Profile } from './profile.ts';

/**
 * In a clone of the repository the agent runs from its source, in an installed package from
 * `build/examples`.
 */
function demoAgentPath(): string {
  const path = import.meta.url.endsWith('.ts')
    ? '../../../examples/agents/demo.ts'
    : '../../examples/agents/demo.js';
  return fileURLToPath(new URL(path, import.meta.url));
}

/**
 * The agent's own files and the modules that it imports, which npm installs inside the package or
 * next to it.
 */
function demoFiles(): string[] {
  const place = dirname(demoAgentPath());
  const sdk = 'node_modules/@agentclientprotocol/sdk';
  const root = above(place).find((dir) => existsSync(join(dir, sdk)));
  return root === undefined ? [place] : [join(root, 'node_modules'), place];
}

/**
 * The agent without a model: it shows everything that a run does on a machine without any account.
 */
export const demoProfile: Profile = {
  name: 'demo',
  kind: 'acp',
  packages: [],
  remark: 'part of Runlink',
  programs: [],
  files: demoFiles(),
  protocol: () => undefined,
  lacks: {
    mcp: 'it has no tools to call',
    images: 'it has no model',
    reasoning: 'it has no model',
    permissions: 'it never asks',
    questions: 'it never asks',
  },
  hidesModelErrors: false,
  launch: ({ command }) => ({
    command: command ?? [process.execPath, demoAgentPath()],
    env: {},
    files: [],
  }),
};
