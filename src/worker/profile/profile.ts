import type { McpServer } from '@agentclientprotocol/sdk';
import type { Lease } from '../../contract/lease.ts';
import type { PermissionPolicy } from '../agent/answers.ts';

/** The wire protocols of models that the worker's proxy understands. */
export type ModelProtocol = 'anthropic' | 'openai' | 'gemini';

/** Where an agent reaches its model: the worker's proxy, with a key that is good for this run only. */
export interface ModelAccess {
  baseUrl: string;
  key: string;
}

/** What a profile knows of a run when it says how to start the agent. */
export interface ProfileRun {
  home: string;
  cwd: string;
  mode: Lease['mode'];
  model: string | undefined;
  reasoningLevel: string | undefined;
  /** Everything the agent is told beside its task. */
  systemPrompt: string;
  mcpServers: readonly McpServer[];
  /** Undefined where the operator passes the agent's own variables on instead. */
  access: ModelAccess | undefined;
  /** Program and arguments the operator names instead of the profile's own. */
  command: readonly string[] | undefined;
}

export interface ProfileFile {
  /** Relative to the run's HOME. */
  path: string;
  content: string;
}

/** How to start an agent, as data. */
export interface Launch {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  files: readonly ProfileFile[];
  /** Session mode to switch to. */
  sessionMode?: string;
  /** Set through the session's configuration option of category `model`. */
  sessionModel?: string | undefined;
  authMethod?: string;
  sessionMeta?: Record<string, unknown>;
  /** Goes before the first prompt of a new session, where the agent has no other place for it. */
  promptPrefix?: string;
}

/** One kind of agent and how it is driven; everything in it is data or a pure function. */
export interface Profile {
  name: string;
  kind: 'acp' | 'exec';
  /** Versions this was tested with. */
  tested: string;
  /** Programs that must be on PATH. */
  programs: readonly string[];
  /** What to do when one is missing. */
  install: string;
  /** Protocol of the model, which may depend on the model's name; undefined for no model at all. */
  protocol(model: string | undefined): ModelProtocol | undefined;
  permissions: PermissionPolicy;
  /** It passes MCP servers on. */
  mcp: boolean;
  /** A failed call to its model looks like a normal end of the turn (harness.md 6). */
  hidesModelErrors: boolean;
  /** It cannot pick up a session again after its process ended (harness.md 6). */
  forgetsSessions: boolean;
  launch(run: ProfileRun): Launch;
}
