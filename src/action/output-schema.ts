import { RunlinkError, errorMessage } from '../base/error.ts';
import { TimedThread } from '../base/timed-thread.ts';
import { schemaFault } from './schema-fault.ts';
import type { SchemaAsk } from './schema-thread.ts';

export const OUTPUT_FILE = 'output.json';

/** What a run's `output.json` has to be (input `output-schema`). */
export interface OutputSchema {
  /** The schema's text, for the agent. */
  text: string;
  /** What is wrong with a value, and where; undefined if the value fits. */
  fault: (value: unknown) => Promise<string | undefined>;
}

/**
 * On a thread with a time limit: a pattern in the schema may take ages on what an agent wrote
 * (threats.md G15).
 */
const thread = new TimedThread<SchemaAsk, string | undefined>('schema-thread', import.meta.url);

/** Reads the schema. Throws `invalid_schema` if it cannot be used. */
export async function readOutputSchema(text: string): Promise<OutputSchema> {
  try {
    const schema: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      throw new TypeError('it is not an object');
    const wrong = schemaFault(schema);
    if (wrong !== undefined) throw new TypeError(wrong);
    await checkParts(schema);
    return {
      text: JSON.stringify(schema),
      fault: async (value) => {
        const { answers, gaveUp } = await thread.run([{ schema, value }]);
        if (gaveUp === 'failed') return 'the schema cannot be followed';
        return gaveUp
          ? 'checking it takes too long: simplify the schema’s patterns and references'
          : answers[0];
      },
    };
  } catch (error) {
    throw new RunlinkError('invalid_schema', errorMessage(error), { cause: error });
  }
}

/**
 * Throws if a reference leads nowhere or in a circle, or if a pattern is invalid, before a run is
 * paid for.
 */
async function checkParts(schema: object): Promise<void> {
  const { dereference, format, Validator } = await import('@cfworker/json-schema');
  const known = dereference(schema);
  for (const part of Object.values(known)) {
    if (typeof part === 'boolean') continue;
    const { $ref, __absolute_ref__: place, pattern, patternProperties = {} } = part;
    if (place !== undefined && known[place] === undefined)
      throw new TypeError(`$ref ${$ref} leads nowhere in the schema, and none is fetched`);
    const wrong = [pattern ?? '', ...Object.keys(patternProperties)].find(
      (one) => format['regex']?.(one) === false,
    );
    if (wrong !== undefined) throw new TypeError(`${wrong} is not a regular expression`);
  }
  try {
    new Validator(schema, '2020-12').validate(null);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TypeError('its references go round in a circle', { cause: error });
  }
}

/** The last part of the prompt: how the agent should answer. */
export function askForOutput({ text }: OutputSchema): string {
  return `Write your result as JSON into the file ${OUTPUT_FILE} in the folder that the environment variable RUNLINK_ARTIFACTS names. It must be valid by this JSON Schema:\n\n${text}`;
}
