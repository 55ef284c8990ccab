import { rawExitCode, rawOutputText, type ToolUpdate } from './update-shape.ts';

/** How much of a call's earlier output is kept, to tell repeated text from new text. */
const KNOWN_HEAD = 4096;
/**
 * How agents that have no field for the exit code write it into the command's output (claude, pi).
 */
const EXIT_TEXT = /(?:^|\n)(?:Exit code|Command exited with code) (\d{1,3})\b/;

/** What pi-acp sends for a command that has not written anything yet. */
const EMPTY_RESULT = /^\{\s*"content":\s*\[\]\s*\}$/;

interface Known {
  length: number;
  head: string;
  /** The output comes in terminal pieces, so `content` only repeats it. */
  pieces: boolean;
}

/**
 * Finds what is new in a tool call's output. Some agents send pieces, some send the whole text so
 * far with every update, some send it only with the last one.
 */
export class ToolOutputs {
  readonly #calls = new Map<string, Known>();

  read(tool: ToolUpdate, ended: boolean): { output: string; exitCode: number | undefined } {
    const known = this.#calls.get(tool.toolCallId) ?? { length: 0, head: '', pieces: false };
    const output = newOutput(tool, known, ended);
    if (ended) this.#calls.delete(tool.toolCallId);
    else this.#calls.set(tool.toolCallId, known);
    return { output, exitCode: exitCode(tool, output) };
  }
}

function newOutput(tool: ToolUpdate, known: Known, ended: boolean): string {
  const piece = terminalPiece(tool);
  if (piece !== undefined) known.pieces = true;
  if (known.pieces) return piece ?? '';
  const output = newText(known, wholeText(tool, ended && known.length === 0));
  if (output !== '') remember(known, output);
  return output;
}

function terminalPiece(tool: ToolUpdate): string | undefined {
  const meta = tool['_meta'];
  return meta?.terminal_output_delta?.data ?? meta?.terminal_output?.data ?? undefined;
}

/** The output so far, if this update has it; the raw output is used only if nothing else came. */
function wholeText(tool: ToolUpdate, useRaw: boolean): string {
  const texts = (tool.content ?? []).flatMap((part) => part.content?.text ?? []);
  if (texts.length > 0) return texts.join('');
  return useRaw ? (rawOutputText(tool.rawOutput) ?? '') : '';
}

function newText(known: Known, text: string): string {
  if (text === '' || EMPTY_RESULT.test(text)) return '';
  if (known.length === 0) return text;
  if (text.startsWith(known.head)) return text.slice(known.length);
  known.length = -1;
  known.head = '';
  return `\n${text}`;
}

function remember(known: Known, output: string): void {
  if (known.head.length < KNOWN_HEAD)
    known.head = (known.head + (known.length < 0 ? output.slice(1) : output)).slice(0, KNOWN_HEAD);
  known.length += output.length;
}

function exitCode(tool: ToolUpdate, output: string): number | undefined {
  const stated = tool['_meta']?.terminal_exit?.exit_code ?? rawExitCode(tool.rawOutput);
  if (stated !== undefined && stated !== null) return stated;
  const said = tool.status === 'failed' ? EXIT_TEXT.exec(output)?.[1] : undefined;
  return said === undefined ? undefined : Number(said);
}
