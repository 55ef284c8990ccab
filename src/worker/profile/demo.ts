import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profile } from './profile.ts';

/** From a clone the agent is run from its source, from an installed package from `build/examples`. */
function demoAgentPath(): string {
  const path = import.meta.url.endsWith('.ts')
    ? '../../../examples/agents/demo.ts'
    : '../../examples/agents/demo.js';
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Its own files and the modules of this package; installed, these lie together. */
function demoFiles(): string[] {
  const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
  return [dirname(demoAgentPath()), modules].filter((path) => existsSync(path));
}

/** The agent without a model that shows the whole path on a machine without any account. */
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
