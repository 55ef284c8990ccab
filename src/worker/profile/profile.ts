import type { McpServer } from '@agentclientprotocol/sdk';
import type { Lease } from '../../contract/lease.ts';
import type { HarnessProfile } from '../../config/harness.ts';

/** The wire protocols of models that the worker's proxy understands. */
export type ModelProtocol = 'anthropic' | 'openai' | 'gemini';

/**
 * How an agent reaches its model: the address of the worker's proxy, and a key that is valid for
 * this run only.
 */
export interface ModelAccess {
  baseUrl: string;
  key: string;
}

/** What a profile knows of a run when it describes how to start the agent. */
export interface ProfileRun {
  home: string;
  /**
   * Directory of the files that the profile asks for, as the agent sees it; the agent cannot write
   * there.
   */
  given: string;
  cwd: string;
  mode: Lease['mode'];
  model: string | undefined;
  reasoningLevel: string | undefined;
  permissions: Permissions;
  /** Everything the agent is told besides its task. */
  systemPrompt: string;
  mcpServers: readonly McpServer[];
  /** Undefined if the operator passes the agent's own variables on instead. */
  access: ModelAccess | undefined;
  /** Program and arguments that the operator uses in place of the profile's own. */
  command: readonly string[] | undefined;
}

/** Whether the agent asks for permission, and how it is answered. */
export type Permissions = HarnessProfile['permissions'];

/** What an agent may be able to do. A profile says which of these it lacks, and why. */
export type Ability =
  | 'mcp'
  | 'images'
  | 'reasoning'
  | 'permissions'
  | 'questions'
  | 'resume'
  | 'exit codes'
  | 'diffs';

/** An npm package of an agent, in the version that it was tested with. */
export interface TestedPackage {
  name: string;
  version: string;
  /** Installed together with the package before it. */
  brought?: true;
}

export interface ProfileFile {
  /** Relative to `given`. */
  path: string;
  executable?: true;
  content: string;
}

/** How to start an agent, as plain data. */
export interface Launch {
  /** Words in front of the command, such as a shell that prepares its start. */
  before?: readonly string[];
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  files: readonly ProfileFile[];
  /** Session mode to switch to. */
  sessionMode?: string;
  /** Set through the session's configuration option of category `model`. */
  sessionModel?: string | undefined;
  /**
   * Set through the session's configuration option of category `thought_level`, where it offers it.
   */
  sessionThought?: string | undefined;
  authMethod?: string;
  sessionMeta?: Record<string, unknown>;
  /** Put in front of the first prompt of a new session, if the agent has no other place for it. */
  promptPrefix?: string;
}

/** One kind of agent and how to use it; everything in it is data or a pure function. */
export interface Profile {
  name: string;
  kind: 'acp' | 'exec';
  /** Its npm packages, in the versions that were tested; empty if it does not come from npm. */
  packages: readonly TestedPackage[];
  /** Anything else worth knowing about where it comes from. */
  remark?: string;
  /** Programs that must be on PATH: the one that is started, and those that it starts by name. */
  programs: readonly string[];
  /** The files of this package that it is started from, as full paths. */
  files?: readonly string[];
  /** Protocol of the model, which may depend on the model's name; undefined if it uses none. */
  protocol(model: string | undefined): ModelProtocol | undefined;
  /** What it cannot do, and why. */
  lacks: Readonly<Partial<Record<Ability, string>>>;
  /**
   * Whether a failed call to its model looks like a normal end of the turn (agents.md, "How a turn
   * ends").
   */
  hidesModelErrors: boolean;
  /**
   * For an agent that retries a failing model for ever (agents.md, "Failing models"): after this
   * many failures in a row it is stopped.
   */
  modelFailuresMax?: number;
  launch(run: ProfileRun): Launch;
}
