// What CHANGELOG.md says of a version, for the notes of its release. Throws where tag, package and
// CHANGELOG do not agree.
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
if (tag !== `v${version}`) throw new Error(`the tag ${tag} is not v${version} of package.json`);
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const section = sections.find((text) => text.split(/[\s(]/, 1)[0] === version);
if (!section) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
const notes = section.slice(section.indexOf('\n')).trim();
if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}`);
process.stdout.write(`${notes}\n`);
