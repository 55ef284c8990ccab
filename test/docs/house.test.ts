import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readFiles } from '../support/repository-files.ts';

const rooms = readdirSync(resolve(ROOT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const [page, picture] = readFiles(['docs/design/house.{md,svg}']).map(({ text }) => text);

it('docs/design/house.md says of each room what is in it, and of no other', () => {
  const named = [...(page ?? '').matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
  expect(new Set(named)).toEqual(new Set(rooms));
});

it('its picture shows each room', () => {
  const labels = [...(picture ?? '').matchAll(/>([^<>]+)</g)].flatMap(([, text = '']) =>
    text.split(/\W+/),
  );
  expect(rooms.filter((room) => !labels.includes(room))).toEqual([]);
});
