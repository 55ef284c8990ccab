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
 * What commands need of the face that an event came through: the Action (on the runner, which
 * forgets everything) or the App (on PostgreSQL).
 */
export interface Face {
  event: GithubEvent;
  service: Client;
  /** GitHub, as far as this face may use it; undefined without a token. */
  github: Github | undefined;
  /** The word that begins every command. */
  phrase: string;
  whenBusy: WhenBusy;
  /** The repository's own commands and a note, for the help. */
  help: { custom: readonly CustomHelp[]; note: string };
  /**
   * Logins that may have opened a run's pull request; needed where the service does not say who
   * reported it.
   */
  authors: () => Promise<readonly string[]>;
  /** The login that writes our comments. */
  login: () => Promise<string>;
  /** The settings for a command; `name` is that of one of the repository's own. */
  setup: (name: string | undefined) => Setup;
  /**
   * Limits for a call that must succeed. A face that cannot try the command again later waits
   * longer.
   */
  patience: (ms: number) => CallOptions;
  /** Limits for a call that is not worth a longer wait. */
  within: (ms: number) => CallOptions;
  /** Logs a problem that does not stop the command. */
  warn: (what: string, why: string) => void;
  /** Has a post written to GitHub, at once or later. */
  put: (post: Post, options?: PutOptions) => Promise<void>;
  /** Updates what GitHub shows of a run. */
  show: (runId: string) => Promise<void>;
  /** The current report on a run. */
  report: (runId: string) => Promise<Report>;
  remember: Memory;
  /** Whether this failure is retried later, so that nobody needs to be told. */
  triesAgain: (error: unknown) => boolean;
  /** Shows a request instead of sending it; undefined except in a dry run. */
  rehearse: ((request: object) => void) | undefined;
}

export interface PutOptions {
  /** An earlier try that was forgotten may have written it already. */
  mayExist?: boolean;
  /**
   * A reply to somebody without permission: written after everything else, and dropped first
   * (threats.md G16).
   */
  isForStranger?: boolean;
  /** Shows a passing state: it may wait, and a newer state replaces it. */
  pace?: Pace | undefined;
}

/** How often a post may be changed. */
export interface Pace {
  /** Least time since its last change. */
  everyMs: number;
  /** Time to wait first, because another change will probably follow. */
  afterMs: number;
}

/** The settings that hold for a command, from configuration or inputs. */
export interface Setup {
  /** Who may give the command. */
  rules: GateRules;
  /** What a new run is told before the command's own words. */
  instruction: string;
  /** Layout of the prompt. */
  template?: string | undefined;
  /** Added at the end of everything that a run is told. */
  closing?: string;
  title?: string | undefined;
  /** One line about the task, for triggers that bring no words. */
  description?: string | undefined;
  environment?: string | undefined;
  model?: string | undefined;
  skill?: string | undefined;
  agent?: string | undefined;
  onPullRequest: OnPullRequest;
  /** Whether the run's pull request closes the issue where it was asked for. */
  closesIssue: boolean;
  config: AgentConfig;
  metadata: Record<string, string>;
}

/** What is remembered about requests and runs. */
export interface Memory {
  /** Carries out a request unless that was done before; returns its outcome. */
  once: (
    asked: Asked,
    work: (decided: Decided | undefined) => Promise<Handled>,
  ) => Promise<Handled>;
  /**
   * Fixes what will be sent, before it is sent. Returns what an earlier try fixed, if there was
   * one, and since when that may have been sent.
   */
  decide: (asked: Asked, decided: Decided) => Promise<{ decided: Decided; tried: boolean | Date }>;
  /** Remembers that a run was started for a task, or found to have been. */
  started: (
    task: Task,
    run: { runId: string; isNew: boolean; body: CreateRunRequest },
  ) => Promise<void>;
  /** Remembers that a run was sent the task's message. */
  told: (task: Task, run: RunRead) => Promise<void>;
  /** The run that this thread is known to belong to. */
  threadRun: () => Promise<ThreadRun | undefined>;
  /** The request that started a run. */
  bodyOf: (runId: string) => Promise<CreateRunRequest | undefined>;
  /** `owner/name` of the repository that a run belongs to, if known. */
  repositoryOf: (run: RunRead) => Promise<string | undefined>;
  /** Whether the repository's limit of runs is reached. */
  isLimitReached: () => Promise<boolean>;
}

/** One request: a command in somebody's text, or an event that is configured to start something. */
export interface Asked {
  /** Id of the request (run-lifecycle.md, "One request, one run"). */
  id: string;
  /** Attempt of the workflow run that asks, counted from 1. */
  attempt: number;
  origin: Origin;
  command: Command;
}

/** A request whose author has permission and that can be carried out. */
export interface Task extends Asked {
  command: ReadCommand;
  pinned: Pinned;
}

/** What is sent to the service for a request. */
export type Decided = { start: CreateRunRequest } | { tell: Tell };

/** A message to a run, with the images that it names, which the service already has. */
export interface Tell {
  runId: string;
  message: string;
  attachments?: { attachment_id: string; file_name: string }[];
}

/** The answer to a request: a reaction for its state, and words. */
export interface Told {
  reaction?: Reaction;
  text?: string;
}

/** The outcome of a request. */
export interface Handled {
  reason: Reason;
  /** A sentence for the log. */
  detail?: string | undefined;
  answer?: Told;
  /** The run that works on it from now on. */
  runId?: string | undefined;
  /** The run as last read: before a follow-up, or after a cancellation. */
  run?: RunRead | undefined;
  /** Whether the run is new, so that nothing about it is on GitHub yet. */
  isNew?: boolean;
  /** The head commit when it was asked for. */
  headSha?: string | undefined;
}
