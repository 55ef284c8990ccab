import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/** Our own modules are split by what loads them; what others made stands in files by its name. */
const PACKAGES: [name: string, test: RegExp][] = [
  ['zod', /node_modules\/zod\//],
  ['yaml', /node_modules\/yaml\//],
  ['json-schema', /node_modules\/@cfworker\//],
  [
    'octokit',
    /node_modules\/(?:@octokit|before-after-hook|universal-user-agent|json-with-bigint|content-type)\//,
  ],
  ['markdown', /node_modules\/(?:mdast|micromark|unist|markdown|character-entities|decode-named)/],
];

function packageFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** Writes the licences of every package the bundle holds, and that it consists of ES modules. */
const withLicences: Plugin = {
  name: 'licences',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) =>
      chunk.type === 'chunk' ? chunk.moduleIds : [],
    );
    const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
    const licences = [...folders].toSorted().map(licenceOf);
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: licences.join('\n---\n\n') });
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{"type":"module"}\n' });
  },
};

/**
 * The Action as one folder, from the source itself. Nothing is minified: a minified bundle starts slower
 * and cannot be reviewed; what no path reaches is left out.
 */
export default defineConfig({
  input: {
    index: 'src/action/main.ts',
    // Started as threads by their names beside the bundle's other files.
    'markdown-thread': 'src/github/markdown-thread.ts',
    'schema-thread': 'src/action/schema-thread.ts',
  },
  platform: 'node',
  plugins: [withLicences],
  // The toolkit does nothing when it is loaded, but does not say so: without this its HTTP client comes along.
  treeshake: {
    moduleSideEffects: [{ test: /node_modules\/(@actions|undici)\//, sideEffects: false }],
  },
  // Each module's name stands above it.
  experimental: { attachDebugInfo: 'simple' },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'es',
    // Ours stand in src, others' in their packages: a fifth of the bytes.
    comments: { jsdoc: false, legal: true, annotation: false },
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: PACKAGES.map(([name, test]) => ({ name: `vendor-${name}`, test })) },
  },
});
