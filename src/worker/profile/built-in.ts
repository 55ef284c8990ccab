import type { AGENT_KINDS } from '../../config/harness.ts';
import { acpProfile } from './acp.ts';
import { claudeProfile } from './claude.ts';
import { codexProfile } from './codex.ts';
import { demoProfile } from './demo.ts';
import { execProfile } from './exec.ts';
import { geminiProfile } from './gemini.ts';
import { opencodeProfile } from './opencode.ts';
import { piProfile } from './pi.ts';
import type { Profile } from './profile.ts';

/** The agents that need no configuration, by name. */
export const BUILT_IN: Readonly<Record<(typeof AGENT_KINDS)[number], Profile>> = {
  claude: claudeProfile,
  codex: codexProfile,
  gemini: geminiProfile,
  opencode: opencodeProfile,
  pi: piProfile,
  demo: demoProfile,
  acp: acpProfile,
  exec: execProfile,
};
