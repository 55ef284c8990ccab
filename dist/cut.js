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
export { fenced as a, MENTION as c, cutMarkdown as i, THREAD_URL as l, COMMENT_MAX as n, BREAK as o, SUMMARY_MAX_BYTES as r, GH_REFERENCE as s, CHECK_TEXT_MAX as t, inertLine as u };
