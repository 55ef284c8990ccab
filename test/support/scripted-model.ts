import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/**
 * What the model does next, written into the prompt: it needs no memory, and so survives restarts.
 */
export type ModelStep =
  | { shell: string }
  /** Writes a new file by the agent's own tool for it. */
  | { write: { path: string; content: string } }
  | { mcp: { server: string; tool: string; input: Record<string, unknown> } }
  /** Asks the user a question by the agent's own tool for it. */
  | { ask: string }
  | { say: string }
  | { status: number }
  | { hang: true };

/** A prompt that carries its own script. */
export function modelScript(...steps: ModelStep[]): string {
  return `Do as told. <<MODEL${JSON.stringify(steps)}MODEL>>`;
}

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
const SHELLS = /^(?:exec_command|shell|bash|run_shell_command|local_shell)$/i;
const ASKERS = /^(?:AskUserQuestion|request_user_input|question|ask_user)$/;
const WRITERS = /^(?:write|write_file|apply_patch)$/i;

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

/** The newest script in the conversation, and how many tool results came since. */
function readScript(
  request: ChatCompletionRequest,
): { steps: ModelStep[]; at: number } | undefined {
  const { messages } = request;
  const index = messages.findLastIndex(
    ({ role, content }) => role === 'user' && textOf(content).includes('<<MODEL'),
  );
  const script = /<<MODEL(\[.*?\])MODEL>>/s.exec(textOf(messages[index]?.content))?.[1];
  if (script === undefined) return undefined;
  const at = messages.slice(index + 1).filter(({ role }) => role === 'tool').length;
  return { steps: JSON.parse(script) as ModelStep[], at };
}

/** Arguments that the tool's own schema knows: one agent refuses all others. */
function fitted(tool: Tool, values: Record<string, unknown>): string {
  const parameters: { properties?: object } = tool.function.parameters ?? {};
  const known = Object.keys(parameters.properties ?? values);
  return JSON.stringify(
    Object.fromEntries(Object.entries(values).filter(([key]) => known.includes(key))),
  );
}

type ToolStep = Extract<
  ModelStep,
  { shell: string } | { write: object } | { mcp: object } | { ask: string }
>;
interface Wanted {
  fits: (name: string) => boolean;
  values: Record<string, unknown>;
}

function wantedTool(step: ToolStep): Wanted {
  if ('mcp' in step) {
    const { server, tool, input } = step.mcp;
    return { fits: (name) => name.includes(server) && name.endsWith(tool), values: input };
  }
  if ('write' in step) {
    const { path, content } = step.write;
    const values = { path, file_path: path, filePath: path, content, patchText: patchOf(step) };
    return { fits: (name) => WRITERS.test(name), values };
  }
  if ('ask' in step) {
    const options = ['main', 'next'].map((label) => ({ label, description: label }));
    const more = { id: 'branch', type: 'choice', multiSelect: false };
    const questions = [{ question: step.ask, header: 'Branch', options, ...more }];
    return { fits: (name) => ASKERS.test(name), values: { questions } };
  }
  const values = { command: step.shell, cmd: step.shell, description: 'a step of the script' };
  return { fits: (name) => SHELLS.test(name), values };
}

/** The new file as some agents take it: as a patch. */
function patchOf({ write: { path, content } }: Extract<ModelStep, { write: object }>): string {
  const lines = content.trimEnd().split('\n');
  const patch = ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`)];
  return `${patch.join('\n')}\n*** End Patch\n`;
}

/**
 * One agent offers MCP tools only to models that search for them; called by their names they work
 * too.
 */
function deferredTool(tools: readonly Tool[], step: ToolStep): Tool | undefined {
  const searches = tools.some(({ function: { name } }) => name === 'ToolSearch');
  if (!searches || !('mcp' in step)) return undefined;
  const name = `mcp__${step.mcp.server}__${step.mcp.tool}`;
  return { type: 'function', function: { name } };
}

function callTool(request: ChatCompletionRequest, step: ToolStep): FixtureResponse {
  const tools = request.tools ?? [];
  const { fits, values } = wantedTool(step);
  const tool = tools.find(({ function: { name } }) => fits(name)) ?? deferredTool(tools, step);
  if (!tool && 'write' in step)
    return callTool(request, { shell: `apply_patch <<'EOF'\n${patchOf(step)}EOF\n` });
  if (!tool)
    return {
      content: `There is no such tool among ${tools.map((each) => each.function.name).join(', ')}.`,
    };
  return {
    toolCalls: [{ name: tool.function.name, arguments: fitted(tool, values) }],
    usage: USAGE,
  };
}

function asideOf({ messages }: ChatCompletionRequest): string {
  const choosing = messages.some(({ content }) => textOf(content).includes('Complexity Score'));
  return choosing ? '{"complexity_reasoning":"none","complexity_score":90}' : 'Done.';
}

export interface ScriptedModel {
  url: string;
  /** What it was asked, whole, with tools: requests without are for titles and the like. */
  asked: ChatCompletionRequest[];
  stop: () => Promise<void>;
}

/** Starts a model server on loopback that follows the scripts in its prompts. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const model = new LLMock({ port: 0 });
  const asked: ChatCompletionRequest[] = [];
  model.on({}, async (request) => {
    if (request.tools?.length) asked.push(request);
    const script = readScript(request);
    const step = script?.steps[script.at];
    // Agents also ask for titles, and one which model to take, without offering tools.
    if (!step || !request.tools?.length) return { content: asideOf(request), usage: USAGE };
    if ('say' in step) return { content: step.say, usage: USAGE };
    if ('status' in step)
      return { error: { message: 'scripted failure', type: 'api_error' }, status: step.status };
    if ('hang' in step) return await new Promise<never>(() => undefined);
    return callTool(request, step);
  });
  await model.start();
  return { url: model.url, asked, stop: () => model.stop() };
}
