import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { ansiStyles } from './ansi-colours.ts';

const TYPES = {
  'runlink.css': 'text/css; charset=utf-8',
  'runlink.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
type AssetName = keyof typeof TYPES;

const assets = new Map(
  Object.entries(TYPES).map(([name, type]) => {
    const file = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
    const content = name === 'runlink.css' ? `${file}\n${ansiStyles()}` : file;
    const version = hash('sha256', content, 'base64url').slice(0, 10);
    return [name, { content, type, version }] as const;
  }),
);

/** URL of a static file. It changes with the content, so browsers may cache the file. */
export function assetUrl(name: AssetName): string {
  return `/assets/${assets.get(name)?.version}/${name}`;
}

export const assetRoutes = new Hono().get('/:version/:name', (c) => {
  const asset = assets.get(c.req.param('name'));
  if (!asset || asset.version !== c.req.param('version')) return c.notFound();
  return c.body(asset.content, 200, {
    'content-type': asset.type,
    'cache-control': 'public, max-age=31536000, immutable',
  });
});
