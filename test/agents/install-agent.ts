import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The packages of each agent, in the pairs they were tested in (harness.md 1). */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  codex: ['@agentclientprotocol/codex-acp@2.6.0', '@openai/codex@0.169.0'],
  opencode: ['opencode-ai@1.18.33'],
  claude: ['@agentclientprotocol/claude-agent-acp@0.100.0'],
  gemini: ['@google/gemini-cli@0.61.0'],
  pi: ['pi-acp@0.0.24', '@mariozechner/pi-coding-agent@0.73.1'],
};

/**
 * Installs an agent from npm into a cache outside the repository, once, and answers the directory of
 * its programs. Undefined, said loudly, where it cannot be had.
 */
export async function installAgent(name: string): Promise<string | undefined> {
  const cache = process.env['RUNLINK_AGENT_CACHE'] ?? join(homedir(), '.cache/runlink-agents');
  const dir = join(cache, name);
  const bin = join(dir, 'node_modules/.bin');
  if (existsSync(join(dir, 'installed'))) return bin;
  await mkdir(dir, { recursive: true });
  try {
    await run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--prefix', dir, ...(PACKAGES[name] ?? [])],
      {
        timeout: 600_000,
      },
    );
    await mkdir(join(dir, 'installed'));
    return bin;
  } catch (error) {
    process.stderr.write(
      `\nNOT TESTED: ${name} could not be installed from npm: ${String(error)}\n\n`,
    );
    return undefined;
  }
}
