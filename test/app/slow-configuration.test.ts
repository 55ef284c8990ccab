import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/app/config/read-config.ts';
import { readSkill } from '../../src/service/skills/read-skill.ts';

const LENGTH = 128 * 1024;
const of = (part: string): string => part.repeat(LENGTH / part.length);

/** How often this process turns to other work, as it may each 5 ms, while something is read. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 5);
  await work.finally(() => clearInterval(counting));
  return turns;
}

describe('a configuration that is made to be slow to read', () => {
  it.each([
    ['faults', of('%\n')],
    ['escapes', `"${of('\\x')}`],
    ['commas', `{${of(',,')}`],
    ['people', `users: [${of('a,')}]`],
  ])(
    'of many %s is refused at its place, while the process goes on with its work (threats.md G15)',
    async (_, text) => {
      const reading = readConfig(text);
      expect(await turnsDuring(reading)).toBeGreaterThan(3);
      const read = await reading;
      const [first] = read.ok ? [] : read.issues;
      expect(first?.line).toBeGreaterThan(0);
      // The next one is read as ever.
      expect(await readConfig('model: small\n')).toMatchObject({ ok: true });
    },
  );

  it('may be a skill as well: the front matter is short', () => {
    const text = `---\n${of('%\n')}---\n`;
    expect(readSkill('skills/a/SKILL.md', text).error).toBe(
      'skills/a/SKILL.md:1:1: the front matter is longer than 16384 characters',
    );
  });
});
