import type { McpServer } from '@agentclientprotocol/sdk';
import type { Lease } from '../../contract/lease.ts';
import type { PermissionPolicy } from '../agent/answers.ts';

/** The wire protocols of models that the worker's proxy understands. */
export type ModelProtocol = 'anthropic' | 'openai' | 'gemini';

/** Where an agent reaches its model: the worker's proxy with a token of this run, or the model itself. */
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
  /** Everything the agent is told beside its task; undefined for nothing. */
  systemPrompt: string | undefined;
  mcpServers: readonly McpServer[];
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
  /** The system prompt goes before the first prompt, where the agent has no place for one. */
  promptPrefix?: string | undefined;
}

/** One kind of agent and how it is driven; everything in it is data or a pure function. */
export interface Profile {
  name: string;
  kind: 'acp' | 'exec';
  /** Versions this was tested with. */
  tested: string;
  /** Program looked for on PATH; undefined where the profile brings its own. */
  program: string | undefined;
  /** What to do when the program is missing. */
  install: string;
  protocol: ModelProtocol | undefined;
  /** Variables of the worker's environment in which the model's real key is looked for, in order. */
  keyVariables: readonly string[];
  /** The model's own address, where the operator names no other. */
  defaultBaseUrl: string;
  /** Variable of the worker's environment that names another address. */
  baseUrlVariable: string | undefined;
  permissions: PermissionPolicy;
  /** The agent passes MCP servers on. */
  mcp: boolean;
  launch(run: ProfileRun): Launch;
}
