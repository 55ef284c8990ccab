import type { Client } from '../client/connect.ts';
import type { CallOptions } from '../client/send.ts';
import type { AgentConfig } from '../contract/agent-config.ts';
import type { CreateRunRequest, RunRead } from '../contract/run.ts';
import type { Command, ReadCommand } from '../github/decide/command.ts';
import type { GateRules, Pinned } from '../github/decide/gate.ts';
import type { ThreadRun, WhenBusy } from '../github/decide/plan.ts';
import type { Reason } from '../github/decide/reason.ts';
import type { OnPullRequest, Origin } from '../github/decide/request.ts';
import type { GithubEvent } from '../github/read/event.ts';
import type { Github } from '../github/read/octokit.ts';
import type { CustomHelp } from '../github/render/answer.ts';
import type { Report } from '../github/render/report.ts';
import type { Reaction } from '../github/render/state.ts';
import type { Post } from '../github/write/post.ts';

/**
 * What a command needs of the face it came through, for one event: the Action (on the runner, which forgets
 * everything) or the App (on PostgreSQL).
 */
export interface Face {
  event: GithubEvent;
  service: Client;
  /** GitHub as far as we may use it here; undefined without a token. */
  github: Github | undefined;
  /** First word of commands. */
  phrase: string;
  whenBusy: WhenBusy;
  /** The repository's own commands and what is to be said beside them, for the help. */
  help: { custom: readonly CustomHelp[]; note: string };
  /** Logins that may have opened a run's pull request, on a service that does not say who reports. */
  authors: () => Promise<readonly string[]>;
  /** Who we write as. */
  login: () => Promise<string>;
  /** How a command is to be carried out; `name` is that of one of the repository's own. */
  setup: (name: string | undefined) => Setup;
  /**
   * Bounds of a call of the service that must succeed: as long as this face can wait for it, or so long where
   * the whole command is tried again later.
   */
  patience: (ms: number) => CallOptions;
  /** Bounds of a call that is not worth waiting for any longer. */
  within: (ms: number) => CallOptions;
  /** Says in the log that something went wrong that does not hinder the command. */
  warn: (what: string, why: string) => void;
  /** Sees to it that this stands on GitHub, at once or later. */
  put: (post: Post, options?: PutOptions) => Promise<void>;
  /** Brings what GitHub shows of a run up to date. */
  show: (runId: string) => Promise<void>;
  /** How a run stands at this moment. */
  report: (runId: string) => Promise<Report>;
  remember: Memory;
  /** Whether what failed so is tried again by itself, so that nobody need be told. */
  triesAgain: (error: unknown) => boolean;
  /** Shows a request instead of sending it, where only that is wanted. */
  rehearse: ((request: object) => void) | undefined;
}

export interface PutOptions {
  /** It may stand there already, from an earlier try that nobody remembers. */
  mayExist?: boolean;
  /** For somebody who may not: waits behind everything else and is dropped first (threats.md G16). */
  isForStranger?: boolean;
  /** Shows a state that will pass: it may wait, and what comes meanwhile takes its place. */
  pace?: Pace | undefined;
}

/** How often a post is changed at most. */
export interface Pace {
  /** Since the last change of it. */
  everyMs: number;
  /** Something else will follow within this time, most likely. */
  afterMs: number;
}

/** What holds for a command, by configuration or inputs. */
export interface Setup {
  /** Who may give it. */
  rules: GateRules;
  /** What a new run is asked before the words of the command. */
  instruction: string;
  /** Layout of the prompt. */
  template?: string | undefined;
  /** What stands last in whatever a run is told. */
  closing?: string;
  title?: string | undefined;
  /** What it is about, in a line, where no words say so. */
  description?: string | undefined;
  environment?: string | undefined;
  model?: string | undefined;
  skill?: string | undefined;
  agent?: string | undefined;
  onPullRequest: OnPullRequest;
  /** The run's pull request closes the issue that it was asked in. */
  closesIssue: boolean;
  config: AgentConfig;
  metadata: Record<string, string>;
}

/** What is remembered of requests and runs. */
export interface Memory {
  /** Carries a request out unless that was done, and says what became of it. */
  once: (
    asked: Asked,
    work: (decided: Decided | undefined) => Promise<Handled>,
  ) => Promise<Handled>;
  /**
   * Fixes what will be sent, before it is sent: answers what an earlier try fixed, if one did, and where
   * that may have been sent, since when.
   */
  decide: (asked: Asked, decided: Decided) => Promise<{ decided: Decided; tried: boolean | Date }>;
  /** A run was started for a task, or found to have been. */
  started: (
    task: Task,
    run: { runId: string; isNew: boolean; body: CreateRunRequest },
  ) => Promise<void>;
  /** A run was told what a task says. */
  told: (task: Task, run: RunRead) => Promise<void>;
  /** The run that this thread is known to belong to. */
  threadRun: () => Promise<ThreadRun | undefined>;
  /** What was sent to start a run. */
  bodyOf: (runId: string) => Promise<CreateRunRequest | undefined>;
  /** `owner/name` of the repository that a run belongs to, as far as anybody knows. */
  repositoryOf: (run: RunRead) => Promise<string | undefined>;
  /** Whether another run may be started here. */
  isLimitReached: () => Promise<boolean>;
}

/** What asks for something: a line of somebody's text, or an event that is configured to. */
export interface Asked {
  /** Id of the request (run-lifecycle.md, "One request, one run"). */
  id: string;
  /** Attempt of the workflow run that asks, from 1. */
  attempt: number;
  origin: Origin;
  command: Command;
}

/** Something asked for by somebody who may, that can be carried out. */
export interface Task extends Asked {
  command: ReadCommand;
  pinned: Pinned;
}

/** What is sent to the service for a request. */
export type Decided = { start: CreateRunRequest } | { tell: Tell };

/** What a run is told, and the images it names, which the service has. */
export interface Tell {
  runId: string;
  message: string;
  attachments?: { attachment_id: string; file_name: string }[];
}

/** What whoever asked is told: how it stands, by a reaction, and in words. */
export interface Told {
  reaction?: Reaction;
  text?: string;
}

/** What became of something asked for. */
export interface Handled {
  reason: Reason;
  /** A sentence for the log. */
  detail?: string | undefined;
  answer?: Told;
  /** The run that works on it from now on. */
  runId?: string | undefined;
  /** The run as it was looked at: before it was told more, after it was cancelled. */
  run?: RunRead | undefined;
  /** Whether the run is new, so that nothing of it stands on GitHub. */
  isNew?: boolean;
  /** Commit that was read when it was asked for. */
  headSha?: string | undefined;
}
