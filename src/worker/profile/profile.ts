import type { McpServer } from '@agentclientprotocol/sdk';
import type { Lease } from '../../contract/lease.ts';
import type { HarnessProfile } from '../../config/harness.ts';

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
  /** Where the files that the profile asks for are seen; outside of all that the agent may write. */
  given: string;
  cwd: string;
  mode: Lease['mode'];
  model: string | undefined;
  reasoningLevel: string | undefined;
  permissions: Permissions;
  /** Everything the agent is told beside its task. */
  systemPrompt: string;
  mcpServers: readonly McpServer[];
  /** Undefined where the operator passes the agent's own variables on instead. */
  access: ModelAccess | undefined;
  /** Program and arguments the operator names instead of the profile's own. */
  command: readonly string[] | undefined;
}

/** Whether the agent asks before it acts, and what it is answered. */
export type Permissions = HarnessProfile['permissions'];

/** What agents can do or not: what one lacks is said with its reason. */
export type Ability =
  | 'mcp'
  | 'images'
  | 'reasoning'
  | 'permissions'
  | 'questions'
  | 'resume'
  | 'exit codes'
  | 'diffs';

/** An npm package of an agent in the version it was tested in. */
export interface TestedPackage {
  name: string;
  version: string;
  /** Installed by the package before it. */
  brought?: true;
}

export interface ProfileFile {
  /** Relative to `given`. */
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
  /** Set through the session's configuration option of category `thought_level`, where it offers it. */
  sessionThought?: string | undefined;
  authMethod?: string;
  sessionMeta?: Record<string, unknown>;
  /** Goes before the first prompt of a new session, where the agent has no other place for it. */
  promptPrefix?: string;
}

/** One kind of agent and how it is driven; everything in it is data or a pure function. */
export interface Profile {
  name: string;
  kind: 'acp' | 'exec';
  /** What it is made of, in the versions it was tested in; empty for what is not from npm. */
  packages: readonly TestedPackage[];
  /** What else is to be known of its origin. */
  remark?: string;
  /** Programs that must be on PATH. */
  programs: readonly string[];
  /** What of this package it is started from, as full paths. */
  files?: readonly string[];
  /** Protocol of the model, which may depend on the model's name; undefined for no model at all. */
  protocol(model: string | undefined): ModelProtocol | undefined;
  /** What it cannot do, with the reason. */
  lacks: Readonly<Partial<Record<Ability, string>>>;
  /**
   * A failed call to its model looks like a normal end of the turn (agents.md, "How a turn ends").
   */
  hidesModelErrors: boolean;
  /**
   * It asks a failing model again for ever (agents.md, "Failing models"): after so many failures in
   * a row it is ended.
   */
  modelFailuresMax?: number;
  launch(run: ProfileRun): Launch;
}
