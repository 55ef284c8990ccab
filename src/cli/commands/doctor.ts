import type { Command } from 'commander';
import type { Diagnosis } from '../../worker/doctor/diagnose.ts';
import { loadOperatorConfig } from '../locate.ts';
import { checkFields, printJson, type JsonFields } from '../output/json.ts';
import { paint, screenOf } from '../output/screen.ts';
import { clean } from '../output/text.ts';
import { addJsonOption } from '../remote/remote.ts';

interface DoctorOptions {
  config?: string;
  json?: JsonFields;
}

const screen = screenOf(process.stdout);

/** What the machine can do, as text for people. */
export function describeDiagnosis({ git, sandbox, agents }: Diagnosis): string {
  return [
    line(git !== undefined, git ?? 'git', git ? [] : ['git cannot be started; install it.']),
    describeSandbox(sandbox),
    ...agents.map(({ name, isDefault, usable, problems, tested }) => {
      const detail = paint(screen, 'dim', tested ? `tested with ${tested}` : '');
      return line(
        usable,
        `agent ${name}${isDefault ? ' (default)' : ''}  ${detail}`.trimEnd(),
        problems,
      );
    }),
  ].join('\n');
}

function describeSandbox({ driver, refusal, gaps, view }: Diagnosis['sandbox']): string {
  if (refusal)
    return line(false, 'sandbox: only the demo agent is run', [refusal.problem, refusal.remedy]);
  if (driver === 'direct') return line(false, 'sandbox direct: agents are not isolated', gaps);
  const seen = view.readOnly.length > 0 ? describeView(view) : [];
  return [line(true, `sandbox ${driver}`, gaps), ...seen].join('\n');
}

/** Everything that runs can see, grouped by the reason. */
function describeView({ readOnly, links }: Diagnosis['sandbox']['view']): string[] {
  const all = [
    ...readOnly.map(({ at, path, why }) => ({ why, text: at === path ? at : `${at} (${path})` })),
    ...links.map(({ at, to, why }) => ({ why, text: `${at} -> ${to}` })),
  ];
  const reasons = Map.groupBy(all, ({ why }) => why);
  return [
    '    Runs see this of the machine, read-only, and the programs of their own agent:',
    ...[...reasons].map(
      ([why, list]) => `      ${why}: ${clean(list.map(({ text }) => text).join(', '))}`,
    ),
  ];
}

export function addDoctorCommand(program: Command): void {
  addJsonOption(program.command('doctor'))
    .option('--config <file>', 'agent profiles (default: runlink.yaml, if there is one)')
    .action(doctor);
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { diagnose } = await import('../../worker/doctor/diagnose.ts');
  const config = await loadOperatorConfig(options.config);
  const diagnosis = await diagnose({
    harnesses: config.harnesses,
    defaultHarness: config.default_harness,
    environment: process.env,
    sandbox: config.sandbox.driver,
    engine: config.sandbox.engine,
    readOnly: config.sandbox.read_only,
  });
  checkFields(options.json ?? [], Object.keys(diagnosis));
  if (options.json) printJson(diagnosis, options.json);
  else process.stdout.write(`${describeDiagnosis(diagnosis)}\n`);
  if (!diagnosis.git || !diagnosis.agents.some((agent) => agent.usable)) process.exitCode = 1;
}

function line(ok: boolean, text: string, problems: readonly string[]): string {
  const { signs } = screen;
  const mark = ok ? paint(screen, 'green', signs.ok) : paint(screen, 'red', signs.bad);
  return [`${mark} ${text}`, ...problems.map((problem) => `    ${clean(problem)}`)].join('\n');
}
