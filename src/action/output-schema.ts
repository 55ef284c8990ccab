import { RunlinkError, errorMessage } from '../base/error.ts';
import { TimedThread } from '../base/timed-thread.ts';
import { schemaFault } from './schema-fault.ts';
import type { SchemaAsk } from './schema-thread.ts';

export const OUTPUT_FILE = 'output.json';

/** What a run's `output.json` has to be (input `output-schema`). */
export interface OutputSchema {
  /** Told to the agent. */
  text: string;
  /** What is wrong with a value and where; undefined where it fits. */
  fault: (value: unknown) => Promise<string | undefined>;
}

/** A pattern of the schema may take ages over what an agent wrote (threats.md G15). */
const thread = new TimedThread<SchemaAsk, string | undefined>('schema-thread', import.meta.url);

/** Throws `invalid_schema` where the text is no schema that can be used. */
export async function readOutputSchema(text: string): Promise<OutputSchema> {
  try {
    const schema: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      throw new TypeError('it is not an object');
    const wrong = schemaFault(schema);
    if (wrong !== undefined) throw new TypeError(wrong);
    const { Validator } = await import('@cfworker/json-schema');
    const validator = new Validator(schema, '2020-12');
    // A reference that leads nowhere shows when it is followed.
    validator.validate(null);
    return {
      text: JSON.stringify(schema),
      fault: async (value) => {
        const { answers, gaveUp } = await thread.run([{ schema, value }]);
        return gaveUp ? 'it takes too long to tell: mind its patterns' : answers[0];
      },
    };
  } catch (error) {
    throw new RunlinkError('invalid_schema', errorMessage(error), { cause: error });
  }
}

/** What an agent is told last about how to answer. */
export function askForOutput({ text }: OutputSchema): string {
  return `Write your result as JSON into the file ${OUTPUT_FILE} in the folder that the environment variable RUNLINK_ARTIFACTS names. It must be valid by this JSON Schema:\n\n${text}`;
}
