import type { Command } from 'commander';

/** An example for each command whose own file has none. */
const EXAMPLES: Record<string, string> = {
  logout: 'logout --profile work',
  whoami: 'whoami --json=base_url,team',
  'runs get': 'runs get https://github.com/acme/app/pull/7',
  'runs cancel': 'runs cancel @last',
  'runs follow': 'runs follow @last "also add a test"',
  'runs open': 'runs open @last',
  'runs checkout': 'runs checkout @last',
  'runs timeline': 'runs timeline @last --json',
  'runs transcript': 'runs transcript @last > transcript.jsonl',
  'runs entries': 'runs entries @last --json | jq -r ".events[].type"',
  'runs scores': 'runs scores @last',
  'runs artifacts': 'runs artifacts @last',
  'schedules list': 'schedules list --json=name,cron_schedule',
  'schedules get': 'schedules get nightly',
  'schedules edit': 'schedules edit nightly --cron "30 2 * * 1-5"',
  'schedules run': 'schedules run nightly --wait',
  'schedules pause': 'schedules pause nightly',
  'schedules resume': 'schedules resume nightly',
  'schedules delete': 'schedules delete nightly',
  'agents list': 'agents list',
  'agents get': 'agents get reviewer',
  'agents create': 'agents create reviewer --prompt "Be brief." --model sonnet',
  'agents edit': 'agents edit reviewer --description "reviews what others wrote"',
  'agents delete': 'agents delete reviewer',
  'artifacts get': 'artifacts get report.pdf --json',
  'artifacts publish': 'artifacts publish report.pdf',
  'artifacts unpublish': 'artifacts unpublish report.pdf',
  'environments list': 'environments list --json=uid',
  'environments get': 'environments get web',
  'models list': 'models list',
  'skills list': 'skills list',
  'workers list': 'workers list',
  'keys list': 'keys list',
  'keys revoke': 'keys revoke laptop',
  'config check': 'config check runlink.yaml',
  doctor: 'doctor',
};

/** Adds the examples to the help of these commands and their subcommands. */
export function addExamples(commands: readonly Command[], before = ''): void {
  for (const command of commands) {
    const path = before + command.name();
    const example = EXAMPLES[path];
    if (example !== undefined) command.addHelpText('after', `\nExample:\n  $ runlink ${example}`);
    addExamples(command.commands, `${path} `);
  }
}
