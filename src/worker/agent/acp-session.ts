import {
  client,
  PROTOCOL_VERSION,
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  type InitializeResponse,
  type McpServer,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { errorMessage, RunlinkError } from '../../base/error.ts';
import { assertKept, type ConfinedProcess } from '../sandbox/sandbox.ts';
import { acpStream } from './acp-stream.ts';
import { answerElicitation, answerPermission, type PermissionPolicy } from './answers.ts';
import type { Line } from './lines.ts';
import { shorten } from './relative-paths.ts';
import type { AgentSession, Prompt, Turn, TurnEnd } from './session.ts';
import { Translator, type EntryDraft } from './translate.ts';
import { turnUsage } from './turn-usage.ts';
import { updateNotification } from './update-shape.ts';

/**
 * Limit from starting the process to an open session. The slowest agent, opencode, took 4.2 s
 * (agents.md, "Starting an agent").
 */
export const HANDSHAKE_TIMEOUT_MS = 60_000;

export interface AcpOptions {
  process: ConfinedProcess;
  cwd: string;
  mcpServers: McpServer[];
  policy: PermissionPolicy;
  /** Session mode to switch to, if the agent offers it. */
  mode: string | undefined;
  /** Value for the agent's configuration option of category `model`, if it has that option. */
  model: string | undefined;
  /** The same for category `thought_level`. */
  thought: string | undefined;
  authMethod: string | undefined;
  /** `_meta` of `session/new`, such as a system prompt. */
  sessionMeta: Record<string, unknown> | undefined;
  resumeId: string | undefined;
  /** Makes this execution's message ids unique within the run. */
  prefix: string;
  /** Settles when the working directory is ready; the agent starts up meanwhile. */
  workspace: Promise<unknown>;
  /**
   * Stores log entries together with the line they came from; settles when there is room for more.
   */
  emit(drafts: EntryDraft[], raw: string | undefined): Promise<void>;
  /** Called for every line that the agent writes. */
  alive(): void;
}

const promptResult = z.looseObject({ stopReason: z.string() });

/**
 * Starts a session with an agent that speaks the Agent Client Protocol. Throws `agent_start_failed`
 * if the agent ends, reports an error or stays silent before the session is open.
 */
export async function startAcpSession(options: AcpOptions): Promise<AgentSession> {
  const session = new AcpSession(options);
  const ready = await inTime(options.process, session.initialize());
  await options.workspace;
  await inTime(options.process, session.open(ready));
  return session;
}

/** Waits for one step of the handshake; throws if the agent ends or says nothing in time. */
async function inTime<T>(agent: ConfinedProcess, step: Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS);
  const silent = new Promise<never>((_, reject) => {
    timeout.addEventListener('abort', () => reject(new Error('no answer in 60 s')), { once: true });
  });
  const ended = agent.exited.then((exit) => {
    assertKept(exit);
    throw new Error(exit.summary);
  });
  try {
    return await Promise.race([step, silent, ended]);
  } catch (error) {
    if (error instanceof RunlinkError) throw error;
    throw new RunlinkError(
      'agent_start_failed',
      `The agent could not be started: ${describe(error)}`,
      { cause: error },
    );
  }
}

class AcpSession implements AgentSession {
  sessionId: string | undefined;
  version: string | undefined;
  resumed = false;
  readonly #options: AcpOptions;
  readonly #translator: Translator;
  readonly #connection: ClientConnection;
  readonly #agent: ClientContext;
  #prompting = false;
  #question: string | undefined;
  #lastResult: unknown;

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#translator = new Translator(options.prefix);
    const { stdin, stdout } = options.process;
    const stream = acpStream(stdin, stdout, { line: (line, parsed) => this.#tap(line, parsed) });
    this.#connection = client({ name: 'runlink' })
      .onRequest('session/request_permission', ({ params }) => this.#permission(params))
      .onRequest('elicitation/create', ({ params }) => {
        this.#question ??= params.message;
        return answerElicitation();
      })
      .connect(stream);
    this.#agent = this.#connection.agent;
  }

  async initialize(): Promise<InitializeResponse> {
    const ready = await this.#agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'runlink', version: '1' },
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
        _meta: { terminal_output: true },
      },
    });
    const { agentInfo } = ready;
    if (agentInfo) this.version = `${agentInfo.name} ${agentInfo.version}`;
    const { authMethod } = this.#options;
    if (authMethod) await this.#agent.request('authenticate', { methodId: authMethod });
    return ready;
  }

  async open(ready: InitializeResponse): Promise<void> {
    const { resumeId } = this.#options;
    if (resumeId) await this.#resume(ready, resumeId);
    if (!this.resumed) await this.#begin();
  }

  async prompt(prompt: Prompt): Promise<Turn> {
    this.#translator.begin();
    this.#question = undefined;
    this.#lastResult = undefined;
    this.#prompting = true;
    const end = await this.#turn(prompt);
    this.#prompting = false;
    await this.#options.emit(this.#translator.closeOpenCalls(), undefined);
    return {
      end,
      acts: this.#translator.acts,
      finalMessage: this.#translator.finalMessage,
      question: this.#question,
      usage: turnUsage(this.#lastResult, this.#translator.costUsd),
    };
  }

  async cancel(): Promise<void> {
    if (this.sessionId === undefined) return;
    await this.#agent
      .notify('session/cancel', { sessionId: this.sessionId })
      .catch(() => undefined);
  }

  async #turn(prompt: Prompt): Promise<TurnEnd> {
    const images = prompt.images.map(({ mimeType, data }): ContentBlock => ({
      type: 'image',
      mimeType,
      data,
    }));
    const request = this.#agent.request('session/prompt', {
      sessionId: this.sessionId ?? '',
      prompt: [{ type: 'text', text: prompt.text }, ...images],
    });
    const exited = this.#options.process.exited.then((exit): TurnEnd => ({
      kind: 'exited',
      message: exit.summary,
      isLost: exit.isLost,
    }));
    const answered = request.then(
      ({ stopReason }) => turnEnd(stopReason),
      async (error: unknown): Promise<TurnEnd> => {
        if (this.#connection.signal.aborted) return await exited;
        return { kind: 'failed', message: describe(error), status: statusOf(error) };
      },
    );
    return await Promise.race([answered, exited]);
  }

  async #begin(): Promise<void> {
    const { cwd, mcpServers, sessionMeta } = this.#options;
    const { sessionId, configOptions } = await this.#agent.request('session/new', {
      cwd,
      mcpServers,
      ...(sessionMeta ? { _meta: sessionMeta } : {}),
    });
    this.sessionId = sessionId;
    await this.#configure(sessionId, configOptions ?? []);
  }

  /**
   * Resumes the earlier session. If the agent no longer has it, a new one is begun (agents.md,
   * "Resuming").
   */
  async #resume(ready: InitializeResponse, sessionId: string): Promise<void> {
    const { cwd, mcpServers } = this.#options;
    const capabilities = ready.agentCapabilities;
    const canResume = Boolean(capabilities?.sessionCapabilities?.resume);
    if (!canResume && !capabilities?.loadSession) return;
    try {
      const method = canResume ? 'session/resume' : 'session/load';
      const answer = await this.#agent.request(method, { sessionId, cwd, mcpServers });
      this.sessionId = sessionId;
      this.resumed = true;
      await this.#configure(sessionId, answer?.configOptions ?? []);
    } catch (error) {
      if (this.#connection.signal.aborted) throw error;
    }
  }

  async #configure(sessionId: string, known: readonly SessionConfigOption[]): Promise<void> {
    const { mode, model, thought } = this.#options;
    if (mode) await this.#agent.request('session/set_mode', { sessionId, modeId: mode });
    const wanted = { model, thought_level: thought };
    for (const option of known) {
      const { id: configId, category } = option;
      const value =
        category === 'model' || category === 'thought_level' ? wanted[category] : undefined;
      if (value !== undefined)
        await this.#agent.request('session/set_config_option', { sessionId, configId, value });
    }
  }

  #permission(params: Parameters<typeof answerPermission>[0]) {
    const { response, decision } = answerPermission(params, this.#options.policy);
    const { toolCallId, title } = params.toolCall;
    const asked = shorten(title ?? 'A tool call', this.#options.cwd);
    if (decision === 'denied') this.#question ??= `The agent asked for permission: ${asked}`;
    const draft: EntryDraft = { type: 'permission', call_id: toolCallId, title: asked, decision };
    return this.#options.emit([draft], undefined).then(() => response);
  }

  async #tap(line: Line, parsed: Record<string, unknown> | undefined): Promise<void> {
    this.#options.alive();
    const update = parsed && updateNotification.safeParse(parsed);
    const result = promptResult.safeParse(parsed?.['result']);
    if (result.success) this.#lastResult = result.data;
    if (!this.#prompting) return;
    if (update?.success)
      return this.#options.emit(this.#translator.translate(update.data.params.update), line.text);
    await this.#options.emit(parsed ? [{ type: 'protocol' }] : invalidLine(line), line.text);
  }
}

function invalidLine(line: Line): EntryDraft[] {
  if (line.text.trim() === '') return [];
  const what = line.cutBytes > 0 ? 'a line that is too long' : 'a line that is no protocol message';
  return [{ type: 'notice', level: 'warn', text: `The agent wrote ${what}.` }];
}

function turnEnd(reason: string): TurnEnd {
  switch (reason) {
    case 'end_turn':
    case 'max_tokens':
    case 'max_turn_requests':
    case 'refusal':
      return { kind: 'stopped', reason };
    case 'cancelled':
      return { kind: 'cancelled' };
    default:
      return { kind: 'failed', message: `The turn ended with "${reason}".`, status: undefined };
  }
}

const rpcError = z.looseObject({
  message: z.string(),
  code: z.number().optional().catch(undefined),
  data: z
    .looseObject({ details: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

function describe(error: unknown): string {
  const details = rpcError.safeParse(error).data?.data?.details;
  return details ? `${errorMessage(error)}: ${details}` : errorMessage(error);
}

/**
 * HTTP status of the model's answer, if the agent passes it on as the error's code (gemini does).
 */
function statusOf(error: unknown): number | undefined {
  const code = rpcError.safeParse(error).data?.code;
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}
