import type { Command } from 'commander';
import type { Diagnosis } from '../../worker/doctor.ts';
import { loadConfig } from '../locate.ts';
import { paint, plain, printJson } from '../terminal.ts';

interface DoctorOptions {
  config?: string;
  json?: boolean;
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { diagnose } = await import('../../worker/doctor.ts');
  const config = await loadConfig(options.config);
  const diagnosis = await diagnose({
    harnesses: config.harnesses,
    defaultHarness: config.default_harness,
    environment: process.env,
  });
  if (options.json) printJson(diagnosis);
  else process.stdout.write(`${describe(diagnosis)}\n`);
  if (!diagnosis.git || !diagnosis.agents.some((agent) => agent.usable)) process.exitCode = 1;
}

function line(ok: boolean, text: string, problems: readonly string[]): string {
  const mark = ok ? paint(process.stdout, 'green', '✓') : paint(process.stdout, 'red', '✗');
  return [`${mark} ${text}`, ...problems.map((problem) => `    ${plain(problem)}`)].join('\n');
}

function describe({ git, sandbox, agents }: Diagnosis): string {
  const isolation =
    sandbox.name === undefined
      ? line(false, 'sandbox', [sandbox.problem])
      : line(true, `sandbox ${sandbox.name}`, sandbox.gaps);
  return [
    line(git !== undefined, git ?? 'git', git ? [] : ['There is no git on PATH; install it.']),
    isolation,
    ...agents.map(({ name, isDefault, usable, problems, tested }) => {
      const detail = paint(process.stdout, 'dim', tested ? `tested with ${tested}` : '');
      return line(
        usable,
        `agent ${name}${isDefault ? ' (default)' : ''}  ${detail}`.trimEnd(),
        problems,
      );
    }),
  ].join('\n');
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('which agents and which sandbox this machine has, and what is missing')
    .option('--config <file>', 'agent profiles (default: runlink.yaml, if there is one)')
    .option('--json', 'print JSON')
    .action(doctor);
}
