import { z } from 'zod';
import { agentConfig, OWN_POOL } from './agent-config.ts';
import { EVENT_BATCH_MAX, workerEvent } from './event.ts';
import { keyed } from './keyed.ts';
import { errorCodes } from './problem.ts';
import { filledText, integer, text, timestamp } from './primitives.ts';
import { requestUsage, runMode, runState } from './run.ts';

/**
 * A claimed run that is not acknowledged within this time goes back to QUEUED
 * (run-lifecycle.md, "Leases").
 */
export const ACKNOWLEDGE_WITHIN_SECONDS = 10;
/** How long a lease lasts after each heartbeat. */
export const LEASE_SECONDS = 30;
/** How often a worker renews its lease. */
export const HEARTBEAT_SECONDS = 10;
/**
 * Header with the lease's token, on every call that a worker makes for its run (threats.md S12).
 */
export const LEASE_HEADER = 'x-runlink-lease';
/**
 * The worker's time (RFC 3339) when it sends a call under a lease. The service corrects the
 * worker's times by the difference (run-lifecycle.md, "Times").
 */
export const SENT_AT_HEADER = 'x-runlink-sent-at';

/** Body of POST /worker/claim. With `Prefer: wait=N` the request is held until there is a run. */
export const claimRequest = z.object({
  /** Names this worker process. */
  worker_id: filledText(256),
  /** Set by a self-hosted worker: it takes only runs whose config names this host. */
  worker_host: filledText(256)
    .refine((host) => host !== OWN_POOL, `"${OWN_POOL}" is the service's own pool: leave it out`)
    .optional(),
  /** Name or id of an environment: takes only runs in it. */
  environment: filledText(256).optional(),
  /** How many more runs this worker would take now. */
  capacity: z.int().min(0).max(1024),
  /** How many runs it works on at most. */
  slots: z.int().min(1).max(1024).optional(),
  /** Profiles that this worker can run, so that the service can say why a run waits. */
  harnesses: z.array(filledText(64)).max(64),
  sandbox: text(64).optional(),
  version: text(64).optional(),
});
export type ClaimRequest = z.infer<typeof claimRequest>;

export const leaseRepository = z.object({
  owner: z.string(),
  name: z.string(),
  clone_url: z.string(),
  /** The branch that work starts from; the remote's default if absent. */
  ref: z.string().optional(),
});
export type LeaseRepository = z.infer<typeof leaseRepository>;

/** Everything that a worker needs to carry out one execution of a run. */
export const lease = z.object({
  run_id: z.string(),
  /** Number of the execution, from 1; each follow-up to an ended run and each retry raises it. */
  attempt: z.int().min(1),
  token: z.string(),
  expires_at: timestamp,
  title: z.string(),
  /** The first prompt of this execution. */
  prompt: z.string(),
  /** System prompt from the run's configuration, put before everything else. */
  base_prompt: z.string().optional(),
  /** Texts of the skills that the run was started with; the first one names the run in lists. */
  skills: z.array(z.object({ name: z.string(), path: z.string(), content: z.string() })).optional(),
  mode: runMode,
  config: agentConfig,
  attachments: z.array(
    z.object({ file_name: z.string(), mime_type: z.string(), data: z.string() }),
  ),
  /**
   * Key for the agent's own reports, beside `X-Warp-Cloud-Agent-ID`; it ends with the run
   * (threats.md S3).
   */
  run_key: z.string(),
  session_link: z.string(),
  metadata: keyed(z.string(), z.string()),
  /** Name and e-mail for `Co-authored-by:`, if known. */
  requester: z.object({ name: z.string(), email: z.string() }).optional(),
  environment: z
    .object({
      id: z.string(),
      name: z.string(),
      /** The container image that the run works in. */
      image: z.string().optional(),
      repositories: z.array(leaseRepository),
      setup_commands: z.array(z.string()),
      /**
       * The only hosts that the run may reach besides the model; if absent, the worker's own list
       * holds.
       */
      network: z.array(z.string()).optional(),
      pull_request: z.boolean(),
      push: z.boolean().optional(),
      draft: z.boolean().optional(),
      sign_off: z.boolean().optional(),
      /** Names of variables that the operator gives to runs here; their values are secrets. */
      variables: keyed(z.string(), z.string()).optional(),
    })
    .optional(),
  /** How to push and open the pull request; the agent never sees it. */
  git: z
    .object({
      token: z.string().optional(),
      api_url: z.string(),
      author: z.object({ name: z.string(), email: z.string() }),
    })
    .optional(),
  /** What the run has used so far, in all its executions. */
  used: requestUsage.optional(),
  /** What an earlier execution left to continue from. */
  resume: z
    .object({
      session_id: z.string().optional(),
      branch: z.string().optional(),
      pull_request_url: z.string().optional(),
      /** A summary of the earlier conversation, for agents that cannot resume their own session. */
      summary: z.string().optional(),
      worker_id: z.string().optional(),
    })
    .optional(),
});
export type Lease = z.infer<typeof lease>;

export const claimResponse = z.object({ lease: lease.nullable() });

/**
 * The lease again, with a fresh git token and the log's position; for a restarted worker and a long
 * run.
 */
export const leaseResponse = z.object({ lease, next_seq: z.int().min(1) });

export const acknowledgeResponse = z.object({ state: runState });

/** Body of a heartbeat. With `Prefer: wait=N` the request is held until there is a signal. */
export const heartbeatRequest = z.object({ after_signal: integer.min(0).default(0) });
export const signal = z.discriminatedUnion('type', [
  z.object({ id: z.int(), type: z.literal('cancel') }),
  z.object({
    id: z.int(),
    type: z.literal('followup'),
    followup_id: z.string(),
    message: z.string(),
    mode: runMode,
    /**
     * Stops the current turn instead of adding a message; the next message then starts a new turn.
     */
    interrupt: z.boolean().optional(),
    /** It has images, which the worker requests when the message's turn comes. */
    has_attachments: z.boolean().optional(),
  }),
]);
export type Signal = z.infer<typeof signal>;
export const heartbeatResponse = z.object({ expires_at: timestamp, signals: z.array(signal) });

export const appendEventsRequest = z.object({
  events: z.array(workerEvent).min(1).max(EVENT_BATCH_MAX),
});
/**
 * `next_seq` is the event that the log expects next: a worker continues there after a lost
 * connection.
 */
export const appendEventsResponse = z.object({ next_seq: z.int().min(1) });

/** Body of POST …/complete: the only place where a worker says how an execution ended. */
export const completeRequest = z.object({
  state: z.enum(['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED']),
  message: text(65_536),
  error_code: z.enum(errorCodes).optional(),
  retryable: z.boolean().optional(),
  usage: requestUsage.optional(),
  session_id: text(1024).optional(),
  branch: text(1024).optional(),
  pull_request_url: text(2048).optional(),
  /** Highest signal id that the worker acted on; a newer follow-up keeps the run open. */
  last_signal: integer.min(0),
});
/**
 * `ended: false` means that follow-ups arrived: carry them out, then complete again
 * (run-lifecycle.md, "Follow-ups").
 */
export const completeResponse = z.object({
  ended: z.boolean(),
  state: runState,
  signals: z.array(signal),
});

/** Body of POST …/release: returns a run before its agent started. */
export const releaseRequest = z.object({ reason: filledText(1024) });
export const releaseResponse = z.object({ state: runState });

/**
 * What the operator configured for workers, besides the runs. It holds no secrets: variables are
 * named, and each worker has their values.
 */
export const workerSettings = z.object({
  /** Agent profiles, as in runlink.yaml. */
  harnesses: keyed(filledText(64), z.looseObject({ agent: z.string() })),
  default_harness: z.string().optional(),
  sandbox: z.object({ driver: z.string(), engine: z.string().optional() }),
  limits: z.object({
    run_time: z.string(),
    pull_time: z.string().optional(),
    budget_tokens: z.int().optional(),
  }),
  allow_insecure_remotes: z.boolean(),
});
export type WorkerSettings = z.infer<typeof workerSettings>;
