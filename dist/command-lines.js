// src/github/render/inert-line.ts
const BREAK = "&#8203;";
const MENTION = /(?<!\w)@(?=[\w-])/g;
const GH_REFERENCE = /\b(GH)\\?-(?=\d)/gi;
const THREAD_URL = /^(?:https?:)?\/\/+[^/]+\/+[^/]+\/+[^/]+\/+(?:issues|pull|discussions|commit)\/+\w/i;
const REFERENCE = /(?<!&)#(?=\d)/g;
const THREAD_PATH = /\/(?:issues|pull|discussions|commit)\//i;
const ADDRESS = /(https?:|www)(?=[/.])/gi;
function inertLine(text, max = 200) {
	const flat = text.replaceAll(/[\s\0]+/g, " ").trim();
	const calm = (flat.length > max ? `${flat.slice(0, max - 1).toWellFormed()}…` : flat).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(/([\\`*_[\]|~!])/g, "\\$1").replaceAll(MENTION, `@${BREAK}`).replaceAll(REFERENCE, `#${BREAK}`).replaceAll(GH_REFERENCE, `$1${BREAK}-`);
	return THREAD_PATH.test(calm) ? calm.replaceAll(ADDRESS, `$1${BREAK}`) : calm;
}
function plainLine(text, max) {
	return inertLine(text, max).replaceAll(ADDRESS, `$1${BREAK}`).replace(/^([^\p{L}\p{N}/]*)\//u, "$1\\/");
}
// src/github/render/cut.ts
const COMMENT_MAX = 65536;
const CHECK_TEXT_MAX = 65535;
const SUMMARY_MAX_BYTES = 1048576;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;
const CLOSING = 16;
function cutMarkdown(text, max) {
	const fence = openFence(text);
	if (text.length + (fence ? fence.length + 1 : 0) <= max) return fence ? `${text}\n${fence}` : text;
	if (max <= CLOSING) return "";
	const room = max - CLOSING;
	const line = text.lastIndexOf("\n", room);
	const kept = line > room / 2 ? text.slice(0, line) : cutLine(text, room);
	const open = openFence(kept);
	if (open === void 0) return `${kept.trimEnd()}\n\n…`;
	return open.length + 4 <= CLOSING ? `${kept}\n${open}\n\n…` : cutMarkdown(kept.slice(0, kept.lastIndexOf(open)), max);
}
function cutLine(text, room) {
	const blank = text.lastIndexOf(" ", room);
	const kept = text.slice(0, blank > room / 2 ? blank : room).replace(/[\uD800-\uDBFF]$/, "");
	return (kept.slice(kept.lastIndexOf("\n") + 1).split("`").length - 1) % 2 === 1 ? `${kept}\`` : kept;
}
function openFence(text) {
	let open;
	for (const line of text.split("\n")) {
		const [, mark, info = ""] = FENCE.exec(line.trimEnd()) ?? [];
		if (mark === void 0) continue;
		if (open !== void 0) open = closes(mark, info, open) ? void 0 : open;
		else if (mark.startsWith("~") || !info.includes("`")) open = mark;
	}
	return open;
}
function closes(mark, info, open) {
	return info === "" && mark.startsWith(open.charAt(0)) && mark.length >= open.length;
}
const LONG_RUN = /(([`~])\2{59})\2+/g;
function fenced(text, max) {
	const calm = text.replaceAll(LONG_RUN, "$1");
	const ticks = longestRun(calm, /`+/g);
	const tildes = longestRun(calm, /~+/g);
	const fence = (ticks <= tildes ? "`" : "~").repeat(Math.max(3, Math.min(ticks, tildes) + 1));
	const room = max - 2 * fence.length - 4;
	return `${fence}\n${calm.length > room ? `${calm.slice(0, room).toWellFormed()}\n…` : calm}\n${fence}`;
}
function longestRun(text, run) {
	return [...text.matchAll(run)].reduce((most, [marks]) => Math.max(most, marks.length), 0);
}
// src/github/decide/command-lines.ts
const PLAIN_PHRASE = /^[/@!.]?[a-z][a-z0-9-]*[:!]?$/i;
const PROSE = /^(?: {0,3}\p{L}[^`<[*_~\\|]*|[ \t]*)$/u;
const MARKED = /^[ \t]*(?:[-+*#_("'“„‘«»]|\d{1,9}[.)])/;
const TABLE_RULE = /^[ \t]*[|:-]/;
function lookForCommands(source, phrase) {
	const lines = source.split("\n");
	const begins = lines.map((line) => beginsWith(line, phrase));
	const last = begins.lastIndexOf(true);
	if (lines.some((line) => MARKED.test(line) && line.toLowerCase().includes(phrase.toLowerCase()))) return;
	if (last === -1) return [];
	if (!PLAIN_PHRASE.test(phrase) || source.includes("<!--")) return void 0;
	const isPlain = lines.slice(0, last + 1).every((line, at) => begins[at] ? isCommandLine(line, phrase, at === last) : PROSE.test(line));
	const next = lines[last + 1];
	if (!isPlain || next !== void 0 && TABLE_RULE.test(next)) return void 0;
	return textsBehind(lines, begins, phrase);
}
const BEHIND = /^(?:[,:;.!?…](?=\s|$)|[,:;—–](?=\p{L})|[，：；。！？、])/u;
const UNSEEN_BEHIND = /^(?:\p{Cf}|\uFE0F){1,3}/u;
const UNSEEN_LAST = /\p{Cf}$/u;
function endsPhrase(after) {
	const seen = after.replace(UNSEEN_BEHIND, "");
	return seen === "" || /^\s/.test(seen) || BEHIND.test(seen);
}
function textBehind(text) {
	return text.trimEnd().replace(UNSEEN_BEHIND, "").replace(UNSEEN_LAST, "").replace(BEHIND, "").replace(/^[ \t]{0,9}[-–—][ \t]/, "").trim();
}
function beginsWith(line, phrase) {
	const text = line.trimStart();
	return text.slice(0, phrase.length).toLowerCase() === phrase.toLowerCase() && endsPhrase(text.slice(phrase.length, phrase.length + 6));
}
function isCommandLine(line, phrase, isLast) {
	const indent = line.length - line.trimStart().length;
	if (indent > 3 || !/^ *$/.test(line.slice(0, indent))) return false;
	return isLast || PROSE.test(`a${line.slice(indent + phrase.length)}`);
}
function textsBehind(lines, begins, phrase) {
	const texts = [];
	lines.forEach((line, at) => {
		if (begins[at]) texts.push([line.trimStart().slice(phrase.length)]);
		else texts.at(-1)?.push(line);
	});
	return texts.map((text) => textBehind(text.join("\n")));
}
export { CHECK_TEXT_MAX as a, cutMarkdown as c, GH_REFERENCE as d, MENTION as f, plainLine as h, textBehind as i, fenced as l, inertLine as m, endsPhrase as n, COMMENT_MAX as o, THREAD_URL as p, lookForCommands as r, SUMMARY_MAX_BYTES as s, beginsWith as t, BREAK as u };
