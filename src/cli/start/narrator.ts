import { formatDuration } from '../../base/time.ts';
import { spelled } from '../output/letters.ts';
import { paint, screenOf } from '../output/screen.ts';
import { oneLine } from '../output/text.ts';

/** What the screen shows of a finished step. */
export interface StepResult {
  detail?: string;
  link?: string;
}

/** Prints the story step by step: what happened, how long it took, and a link. */
export interface Narrator {
  say(text: string): void;
  step<T extends StepResult>(title: string, work: () => Promise<T>): Promise<T>;
}

/** A narrator on a stream; on a terminal the current step shows before it is done. */
export function createNarrator(stream: NodeJS.WriteStream): Narrator {
  const { signs } = screenOf(stream);
  const tell = (text: string): void => void stream.write(spelled(stream, text));
  const write = (mark: string, took: string, text: string): void => {
    tell(`${mark} ${paint({ stream }, 'dim', took.padStart(6))}  ${text}\n`);
  };
  return {
    say: (text) => tell(`${text}\n`),
    async step(title, work) {
      const begun = performance.now();
      const took = (): string => formatDuration(performance.now() - begun);
      if (stream.isTTY) tell(`${paint({ stream }, 'cyan', signs.note)}         ${title} …`);
      try {
        const result = await work();
        if (stream.isTTY) stream.write('\r\u001b[2K');
        write(paint({ stream }, 'green', signs.ok), took(), describe(stream, title, result));
        return result;
      } catch (error) {
        if (stream.isTTY) stream.write('\r\u001b[2K');
        write(paint({ stream }, 'red', signs.bad), took(), title);
        throw error;
      }
    },
  };
}

function describe(stream: NodeJS.WriteStream, title: string, { detail, link }: StepResult): string {
  const head = detail ? `${title}: ${oneLine(detail)}` : title;
  return link ? `${head}\n          ${paint({ stream }, 'underline', oneLine(link))}` : head;
}
