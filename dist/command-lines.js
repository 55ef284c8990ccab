// src/github/render/inert-line.ts
/** A break no reader sees, written so that everyone sees it in the source. */
const BREAK = "&#8203;";
const MENTION = /(?<!\w)@(?=[\w-])/g;
const GH_REFERENCE = /\b(GH)\\?-(?=\d)/gi;
/** Addresses by which GitHub leads back from an issue, pull request, discussion or commit. */
const THREAD_URL = /^(?:https?:)?\/\/+[^/]+\/+[^/]+\/+[^/]+\/+(?:issues|pull|discussions|commit)\/+\w/i;
const REFERENCE = /(?<!&)#(?=\d)/g;
const THREAD_PATH = /\/(?:issues|pull|discussions|commit)\//i;
const ADDRESS = /(https?:|www)(?=[/.])/gi;
/** One line of somebody's words (a title, a name), inert, without Markdown of its own. */
function inertLine(text, max = 200) {
	const flat = text.replaceAll(/[\s\0]+/g, " ").trim();
	const calm = (flat.length > max ? `${flat.slice(0, max - 1).toWellFormed()}…` : flat).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(/([\\`*_[\]|~!])/g, "\\$1").replaceAll(MENTION, `@${BREAK}`).replaceAll(REFERENCE, `#${BREAK}`).replaceAll(GH_REFERENCE, `$1${BREAK}-`);
	return THREAD_PATH.test(calm) ? calm.replaceAll(ADDRESS, `$1${BREAK}`) : calm;
}
/** The same where a line may begin and no address is wanted: neither a command nor a link works. */
function plainLine(text, max) {
	return inertLine(text, max).replaceAll(ADDRESS, `$1${BREAK}`).replace(/^([^\p{L}\p{N}/]*)\//u, "$1\\/");
}
// src/github/render/cut.ts
/**
* Longest body of a comment or pull request, and of a check's summary and text
* (github.md, "Limits").
*/
const COMMENT_MAX = 65536;
const CHECK_TEXT_MAX = 65535;
/** Longest job summary of a step: 1 MiB. */
const SUMMARY_MAX_BYTES = 1048576;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;
/** Room kept for closing a code block and for the dots. */
const CLOSING = 16;
/**
* The Markdown's beginning, at most `max` UTF-16 units long and still well-formed: cut at the end of a
* line where there is one, with an open code block closed. What fits is returned as it is.
*/
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
/** Cuts inside a long line: at a blank, at whole characters, with inline code closed. */
function cutLine(text, room) {
	const blank = text.lastIndexOf(" ", room);
	const kept = text.slice(0, blank > room / 2 ? blank : room).replace(/[\uD800-\uDBFF]$/, "");
	return (kept.slice(kept.lastIndexOf("\n") + 1).split("`").length - 1) % 2 === 1 ? `${kept}\`` : kept;
}
/** The fence that would close the code block the text ends in. */
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
/** A longer run of marks is shortened to 60, so that a fence always fits around it. */
const LONG_RUN = /(([`~])\2{59})\2+/g;
/**
* The text as it is in one code block, whose fence is longer than any run of its mark inside, so that
* nothing in it means anything (threats.md G19). At most `max` UTF-16 units, from 200 on.
*/
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
/** A first word of commands that means nothing in Markdown, so that its line is as good as prose. */
const PLAIN_PHRASE = /^[/@!.]?[a-z][a-z0-9-]*[:!]?$/i;
/** A line of prose, in which no Markdown begins that could reach over lines, or an empty one. */
const PROSE = /^(?: {0,3}\p{L}[^`<[*_~\\|]*|[ \t]*)$/u;
/** A line that begins as an item of a list, or in bold or slanted letters. */
const MARKED = /^[ \t]*(?:[-+*]|\d{1,9}[.)]|[*_])/;
/** A line that makes the one above it the head of a table. */
const TABLE_RULE = /^[ \t]*[|:-]/;
/**
* Finds the commands of a text by its lines alone: the text behind each occurrence of `phrase`, as
* `findCommandText` would. Undefined where only a Markdown parser can tell. Takes linear time, so that
* what strangers write is looked at here before anything else is done with it (threats.md G15).
*/
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
/** People write `/agent, fix it` and `/agent: fix it`, too. */
function endsPhrase(after) {
	return /^(?:[,:](?:\s|$)|\s|$)/.test(after);
}
/** What stands behind the phrase. */
function textBehind(text) {
	return text.replace(/^[,:](?=\s|$)/, "").trim();
}
function beginsWith(line, phrase) {
	const text = line.trimStart();
	return text.slice(0, phrase.length).toLowerCase() === phrase.toLowerCase() && endsPhrase(text.slice(phrase.length, phrase.length + 2));
}
/** Not indented like code; what stands behind the last phrase cannot make it anything else. */
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
export { COMMENT_MAX as a, fenced as c, MENTION as d, THREAD_URL as f, CHECK_TEXT_MAX as i, BREAK as l, plainLine as m, lookForCommands as n, SUMMARY_MAX_BYTES as o, inertLine as p, textBehind as r, cutMarkdown as s, endsPhrase as t, GH_REFERENCE as u };
