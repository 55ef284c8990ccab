import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** What the model does next, written into the prompt: it needs no memory, and so survives restarts. */
export type ModelStep =
  | { shell: string }
  | { mcp: { server: string; tool: string; input: Record<string, unknown> } }
  | { say: string }
  | { status: number }
  | { hang: true };

/** A prompt that carries its own script. */
export function modelScript(...steps: ModelStep[]): string {
  return `Do as told. <<MODEL${JSON.stringify(steps)}MODEL>>`;
}

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
const SHELLS = /^(?:exec_command|shell|bash|run_shell_command|local_shell)$/i;

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

function callTool(request: ChatCompletionRequest, step: ModelStep): FixtureResponse {
  const tools = request.tools ?? [];
  const wanted =
    'mcp' in step
      ? tools.find(
          ({ function: { name } }) =>
            name.includes(step.mcp.server) && name.endsWith(step.mcp.tool),
        )
      : tools.find(({ function: { name } }) => SHELLS.test(name));
  if (!wanted)
    return {
      content: `There is no such tool among ${tools.map((tool) => tool.function.name).join(', ')}.`,
    };
  const values =
    'mcp' in step
      ? step.mcp.input
      : 'shell' in step
        ? { command: step.shell, cmd: step.shell, description: 'a step of the script' }
        : {};
  return {
    toolCalls: [{ name: wanted.function.name, arguments: fitted(wanted, values) }],
    usage: USAGE,
  };
}

/** Starts a model server on loopback that follows the scripts in its prompts. */
export async function startScriptedModel(): Promise<LLMock> {
  const model = new LLMock({ port: 0 });
  model.on({}, async (request) => {
    const script = readScript(request);
    const step = script?.steps[script.at];
    // Agents also ask for titles and summaries, without offering tools.
    if (!step || !request.tools?.length) return { content: 'Done.', usage: USAGE };
    if ('say' in step) return { content: step.say, usage: USAGE };
    if ('status' in step)
      return { error: { message: 'scripted failure', type: 'api_error' }, status: step.status };
    if ('hang' in step) return await new Promise<never>(() => undefined);
    return callTool(request, step);
  });
  await model.start();
  return model;
}
