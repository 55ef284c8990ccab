import { t as serveJobs } from "./serve-jobs.js";
import { c as cutMarkdown, d as GH_REFERENCE, f as MENTION, i as textBehind, m as inertLine, n as endsPhrase, p as THREAD_URL, u as BREAK } from "./command-lines.js";
import { n as gfmFromMarkdown, r as fromMarkdown, t as gfm } from "./vendor-markdown.js";
// src/github/read/markdown.ts
function* walk(node) {
	const open = [node];
	for (let next = open.pop(); next; next = open.pop()) {
		yield next;
		if ("children" in next) open.push(...next.children.toReversed());
	}
}
function sourceRange(node) {
	return [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
}
function applyEdits(source, edits) {
	const ordered = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
	const parts = [];
	let at = 0;
	for (const { start, end, text } of ordered) {
		if (start < at) continue;
		parts.push(source.slice(at, start), text);
		at = end;
	}
	return parts.join("") + source.slice(at);
}
// src/github/read/parse-markdown.ts
const toTree = gfmFromMarkdown().map((extension) => ({
	...extension,
	transforms: []
}));
const OPTIONS = {
	extensions: [gfm()],
	mdastExtensions: toTree
};
function parseMarkdown(source) {
	return fromMarkdown(source, OPTIONS);
}
// src/github/decide/command-text.ts
const OPEN_BLOCKS = [
	"root",
	"list",
	"listItem"
];
const LINE_BLOCKS = ["paragraph", "heading"];
function findCommandText(source, phrase) {
	const tree = parseMarkdown(source);
	const starts = [...lineBlocks(tree)].flatMap((block) => commandStarts(block, source, phrase));
	const comments = [...walk(tree)].filter(isHtmlComment).map(sourceRange);
	return starts.map(({ at, marks, isQuoted }, position) => {
		if (isQuoted) return void 0;
		const end = starts[position + 1]?.before ?? source.length;
		const holes = [...comments, ...marks].toSorted(([a], [b]) => a - b);
		return textBehind(without(holes, source, at + phrase.length, end));
	});
}
function* lineBlocks(node) {
	if (LINE_BLOCKS.includes(node.type)) yield node;
	else if (OPEN_BLOCKS.includes(node.type) && "children" in node) for (const child of node.children) yield* lineBlocks(child);
}
const MARKS_MAX = 4;
const WRAPPERS = new Map([
	["(", ")"],
	["\"", "\""],
	["'", "'"],
	["“", "”"],
	["„", "“”"],
	["‘", "’"],
	["«", "»"],
	["»", "«"]
]);
function commandStarts(block, source, phrase) {
	const [blockStart, blockEnd] = sourceRange(block);
	const starts = [];
	for (let before = blockStart; before < blockEnd; before = nextLine(source, before)) {
		const end = Math.min(nextLine(source, before), blockEnd);
		const line = source.slice(before, end);
		const plain = textAt(block, before + (/^(?:#{1,6}(?=\s))?[^\S\n]*/.exec(line)?.[0].length ?? 0));
		const found = plain && (unwrapped(block, plain, source, end) ?? plain);
		if (!found || !beginsWithWord(source, found, phrase)) continue;
		const marks = [...found.marks, ...closingHashes(block, source)];
		starts.push({
			...found,
			marks,
			before: source.lastIndexOf("\n", before - 1) + 1
		});
	}
	return starts;
}
function unwrapped(block, place, source, end) {
	const line = source.slice(place.at, end).replace(/[*_\s]{1,9}$/, "");
	const opens = line.slice(0, 1);
	const closes = WRAPPERS.get(opens)?.includes(line.slice(-1)) && line.length > 1;
	const at = place.at + 1;
	const inner = at < place.end ? {
		...place,
		at
	} : textAt(block, at);
	if (!closes || !inner) return void 0;
	const close = place.at + line.length - 1;
	return {
		...inner,
		marks: [...inner.marks, [close, close + 1]],
		isQuoted: opens !== "("
	};
}
function closingHashes(block, source) {
	const [start, end] = sourceRange(block);
	const last = block.type === "heading" ? block.children.at(-1) : void 0;
	return last && source[start] === "#" ? [[sourceRange(last)[1], end]] : [];
}
function textAt(node, at) {
	const child = "children" in node ? node.children.find((one) => covers(one, at)) : void 0;
	if (!child) return void 0;
	const [start, end] = sourceRange(child);
	if (child.type === "text") return {
		at,
		end,
		marks: [],
		isQuoted: false
	};
	if (child.type !== "strong" && child.type !== "emphasis" || start !== at) return void 0;
	const width = child.type === "strong" ? 2 : 1;
	const inner = textAt(child, at + width);
	return inner && {
		...inner,
		marks: [...inner.marks, [end - width, end]]
	};
}
function covers(node, at) {
	const [start, end] = sourceRange(node);
	return start <= at && at < end;
}
function nextLine(source, at) {
	const end = source.indexOf("\n", at);
	return end === -1 ? source.length : end + 1;
}
function beginsWithWord(source, { at, end, marks }, phrase) {
	const behind = at + phrase.length;
	if (behind > end || source.slice(at, behind).toLowerCase() !== phrase.toLowerCase()) return false;
	return endsPhrase(without(marks, source, behind, behind + 6 + MARKS_MAX));
}
function isHtmlComment(node) {
	return node.type === "html" && node.value.trimStart().startsWith("<!--");
}
function without(holes, source, start, end) {
	let text = "";
	let at = start;
	for (const [from, to] of holes) {
		if (to <= at || from >= end) continue;
		text += source.slice(at, Math.max(at, from));
		at = Math.max(at, to);
	}
	return at < end ? text + source.slice(at, end) : text;
}
// src/github/read/clean-html.ts
const UNSHOWN = /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<!(?!--|\[CDATA\[)[^>]*>?|<\/(?![a-z])[^>]*>?/gi;
const UNSHOWN_ELEMENT = /<(audio|canvas|datalist|noscript|object|rp|script|style|template|video)\b/gi;
const TAG = /<(\/?)([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^"'<>])*)(["']*)>?/gi;
const DOUBTFUL = /^\s*<![a-z]|<\/?textarea/;
const SHOWN_ATTRIBUTE = /[\s/](?:(href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))|(?:width|height|align|colspan|rowspan|start)\s*=\s*["']?[\w%]{1,10}["']?|open)(?=[\s/]|$)/gi;
const KNOWN = /^(?:a|abbr|audio|b|bdo|blockquote|br|canvas|caption|center|cite|code|col|colgroup|datalist|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|ins|kbd|li|mark|noscript|object|ol|p|picture|pre|q|rp|rt|ruby|s|samp|script|section|small|source|span|strike|strong|style|sub|summary|sup|table|tbody|td|template|tfoot|th|thead|time|tr|tt|u|ul|var|video|wbr)$/i;
const NAME_MAX = 40;
function cleanHtml(html) {
	const notes = new Set();
	const drop = (note) => {
		notes.add(note);
		return "";
	};
	const spoken = html.replaceAll(UNSHOWN, () => drop("html_comments"));
	const { shown, opens } = withoutUnshown(spoken);
	if (shown !== spoken) notes.add("hidden_attributes");
	return {
		text: shown.replaceAll(TAG, (tag, end, name, attributes) => {
			if (/^ima?ge?$/i.test(name)) return drop("image_text") + showImage(attributes);
			if (DOUBTFUL.test(html)) return drop("hidden_attributes");
			if (/^details$/i.test(name) && end === "") notes.add("folded");
			if (name.length > NAME_MAX) return drop("hidden_attributes");
			if (!KNOWN.test(name)) notes.add("angle_brackets");
			return cleanTag(tag, `<${end}${name}`, attributes, () => drop("hidden_attributes"));
		}),
		notes,
		opens: isLeftOpen(html) ? "" : opens
	};
}
function isLeftOpen(html) {
	return [...html.matchAll(TAG)].some(([, , , attributes = "", quote]) => quote && attributes.trimEnd().endsWith("="));
}
function withoutUnshown(html) {
	const lower = html.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
	const kept = [];
	let at = 0;
	for (const { index, 1: name = "" } of lower.matchAll(UNSHOWN_ELEMENT)) {
		if (index < at) continue;
		kept.push(html.slice(at, index));
		const close = lower.indexOf(`</${name}`, index);
		if (close === -1) return {
			shown: kept.join(""),
			opens: name
		};
		const end = lower.indexOf(">", close);
		at = end === -1 ? html.length : end + 1;
	}
	return {
		shown: kept.join("") + html.slice(at),
		opens: void 0
	};
}
function cleanTag(tag, begin, attributes, drop) {
	const rest = attributes.replaceAll(SHOWN_ATTRIBUTE, "");
	if (/^[\s/]*$/.test(rest) && tag.length <= begin.length + attributes.length + 1) return tag;
	return `${begin}${[...attributes.matchAll(SHOWN_ATTRIBUTE)].map(([attribute]) => attribute).join("")}>${drop()}`;
}
function showImage(attributes) {
	const source = [...attributes.matchAll(SHOWN_ATTRIBUTE)].find(([, key]) => /^src$/i.test(key ?? ""));
	return `[image: ${source?.[2] ?? source?.[3] ?? source?.[4] ?? ""}]`;
}
// src/github/read/clean-nodes.ts
const DRAWN = /^(?:mermaid|geojson|topojson|stl|math)$/i;
const LANGUAGE = /^[\w+#.-]{1,16}$/;
const DEFINITION_LIKE = /^\[[^\]\n]{1,999}\]:[ \t]*\S+[ \t]*(?:\n|$)/;
const RULES = {
	html: htmlEdits,
	image: (node) => replaced(node, `[image: ${addressOf(node.url)}]`, "image_text"),
	imageReference: (node, { addresses }) => replaced(node, `[image: ${addresses.get(node.identifier) ?? ""}]`, "image_text"),
	link: (node) => node.title ? tailEdit(node, addressOf(node.url), "hidden_attributes") : [],
	linkReference: (node, { addresses }) => tailEdit(node, addresses.get(node.identifier) ?? ""),
	definition: (node, { used }) => used.has(node.identifier) && !node.title ? replaced(node, "") : replaced(node, "", "link_definitions"),
	footnoteReference: (node, { footnotes }) => replaced(node, `[^${footnotes.get(node.identifier) ?? 0}]`),
	footnoteDefinition: footnoteEdits,
	code: codeEdits,
	table: extraCells,
	paragraph: paragraphEdits
};
function editsOf$1(node, page) {
	const rule = RULES[node.type];
	return rule?.(node, page) ?? [];
}
function addressOf(url) {
	return url.replaceAll(/\s/g, "%20");
}
function replaced(node, text, note) {
	const [start, end] = sourceRange(node);
	return [{
		start,
		end,
		text,
		...note ? { note } : {}
	}];
}
function htmlEdits(node, { notes }) {
	const clean = cleanHtml(node.value);
	for (const note of clean.notes) notes.add(note);
	return clean.text === node.value ? [] : replaced(node, clean.text);
}
function tailEdit(node, address, note) {
	const [start, end] = sourceRange(node);
	const last = node.children.at(-1);
	const noted = note ? { note } : {};
	return last ? [{
		start: sourceRange(last)[1],
		end,
		text: `](${address})`,
		...noted
	}] : [{
		start,
		end,
		text: `[](${address})`,
		...noted
	}];
}
function footnoteEdits(node, page) {
	const { source, footnotes, explanations } = page;
	const [start] = sourceRange(node);
	const number = footnotes.get(node.identifier);
	if (number === void 0 || !explanations.has(node)) return replaced(node, "", "link_definitions");
	return [{
		start,
		end: source.indexOf("]:", start),
		text: `[^${number}`
	}];
}
function codeEdits({ lang, meta, ...node }, { source, notes }) {
	if (DRAWN.test(lang ?? "")) notes.add("drawn");
	const isPlain = !lang || LANGUAGE.test(lang);
	if (isPlain && !meta) return [];
	const [start, end] = sourceRange(node);
	const line = firstLine(source, start, end);
	const text = (/^[`~]+/.exec(line)?.[0] ?? "") + (isPlain ? lang ?? "" : "");
	return [{
		start,
		end: start + line.length,
		text,
		note: "hidden_attributes"
	}];
}
function extraCells(table) {
	const columns = table.children[0]?.children.length ?? 0;
	return table.children.flatMap((row) => {
		const extra = row.children[columns];
		if (!extra) return [];
		return [{
			start: sourceRange(extra)[0],
			end: sourceRange(row)[1],
			text: "|",
			note: "hidden_attributes"
		}];
	});
}
function paragraphEdits(node, { source }) {
	const [start, end] = sourceRange(node);
	if (!DEFINITION_LIKE.test(source.slice(start, start + 2e3))) return doubtfulCode(node);
	return [{
		start,
		end: start + firstLine(source, start, end).length,
		text: "",
		note: "link_definitions"
	}];
}
function doubtfulCode({ children }) {
	if (!children.some((child) => child.type === "text" && child.value.includes("`"))) return [];
	return children.flatMap((child) => child.type === "inlineCode" && /[<[]/.test(child.value) ? replaced(child, child.value) : []);
}
function firstLine(source, start, end) {
	return source.slice(start, end).split("\n", 1)[0] ?? "";
}
// src/github/read/clean-markdown.ts
const FORMULA = /\$[^$]*\\[a-z]/i;
const PASSES_MAX$1 = 4;
function cleanMarkdown(text) {
	const notes = new Set();
	let source = text;
	for (let pass = 0; pass < PASSES_MAX$1; pass += 1) {
		const cleaned = cleanOnce(source, notes);
		if (cleaned === source) {
			if (FORMULA.test(source)) notes.add("drawn");
			return {
				text: source,
				notes: [...notes]
			};
		}
		source = cleaned;
	}
}
function cleanOnce(text, notes) {
	const source = text.replace(/^\uFEFF+/, "");
	const nodes = [...walk(parseMarkdown(source))];
	const page = pageOf(nodes, source, notes);
	const edits = [...hiddenElements(nodes, source), ...nodes.flatMap((node) => editsOf$1(node, page))];
	for (const { note } of edits) if (note) notes.add(note);
	return applyEdits(source, edits);
}
function pageOf(nodes, source, notes) {
	const definitions = nodes.filter((node) => node.type === "definition").toReversed();
	const users = nodes.filter((node) => node.type === "linkReference" || node.type === "imageReference");
	const references = nodes.filter((node) => node.type === "footnoteReference");
	const footnotes = [...new Set(references.map((node) => node.identifier))];
	const explained = nodes.filter((node) => node.type === "footnoteDefinition").toReversed();
	return {
		source,
		notes,
		addresses: new Map(definitions.map((node) => [node.identifier, addressOf(node.url)])),
		used: new Set(users.map((node) => node.identifier)),
		footnotes: new Map(footnotes.map((name, at) => [name, at + 1])),
		explanations: new Set(new Map(explained.map((node) => [node.identifier, node])).values())
	};
}
function hiddenElements(nodes, source) {
	const edits = [];
	const hide = (start, end) => {
		edits.push({
			start,
			end,
			text: "",
			note: "hidden_attributes"
		});
	};
	let open;
	for (const node of nodes) {
		if (node.type !== "html") continue;
		const [start, end] = sourceRange(node);
		const { opens } = cleanHtml(node.value);
		if (!open && opens !== void 0) open = {
			start,
			name: opens
		};
		else if (open?.name && node.value.toLowerCase().includes(`</${open.name.toLowerCase()}`)) {
			hide(open.start, end);
			open = void 0;
		}
	}
	if (open) hide(open.start, source.length);
	return edits;
}
// src/github/render/proven-inert.ts
const ACTIVE = [
	"html",
	"image",
	"imageReference",
	"definition",
	"linkReference"
];
const LIVE = /(?<!\w)@[\w-]|#\d|\bGH-\d/i;
const ADDRESS$1 = /https?:\/\/\S|www\.\S/i;
const COMMAND$1 = /^[^\S\n]*\/\w/;
function isProvenInert(nodes, source) {
	const inside = insideLinks(nodes);
	const isAddress = (node) => node.type === "text" && !inside.has(node) && ADDRESS$1.test(node.value);
	if (source.trimStart().startsWith("<!--")) return false;
	return nodes.every((node) => isInert(node, source) && !isAddress(node));
}
function insideLinks(nodes) {
	const links = nodes.filter(({ type }) => type === "link" || type === "linkReference");
	return new Set(links.flatMap((link) => [...walk(link)]));
}
function isSuggestion(node) {
	return node.type === "code" && /^suggestion/i.test(node.lang ?? "");
}
function isInert(node, source) {
	if (ACTIVE.includes(node.type) || isSuggestion(node)) return false;
	const [start, end] = sourceRange(node);
	if (node.type === "link") return !THREAD_URL.test(node.url) && !isBareAddress(source, start);
	if (node.type !== "text") return true;
	const lines = source.slice(start, end).split("\n");
	const first = isLineStart(source, start) ? 0 : 1;
	return !LIVE.test(node.value) && !lines.slice(first).some((line) => COMMAND$1.test(line));
}
function isBareAddress(source, start) {
	return /^<?https?:\/\//i.test(source.slice(start, start + 10));
}
const MARKS = /^(?:[\s>*_+#~-]|\d{1,9}[.)]|\[[ x]\])*$/i;
function isLineStart(source, at) {
	const before = source.slice(Math.max(0, at - 200), at);
	return MARKS.test(before.slice(before.lastIndexOf("\n") + 1));
}
// src/github/render/make-inert.ts
const REFERENCE = /(?<!&)#(?=\d)|(?<=&)#(?=\d)(?!(?:8203|33|96);)/g;
const ENTITY = /&(?!(?:#8203|#33|#96|amp|lt);)(?=#?\w+;)/g;
const TICK = /(\\\\)|\\?`/g;
const ADDRESS = /(https?:)(?=\/\/\S)|(www)(?=\.\S)/gi;
const COMMAND = /^([^\S\n]*)\/(?=\w)/;
const PASSES_MAX = 5;
function makeInert(text, max) {
	let source = cutMarkdown(text, max);
	for (let pass = 0; pass <= PASSES_MAX; pass += 1) {
		const nodes = [...walk(parseMarkdown(source))];
		const calm = cutMarkdown(applyEdits(source, editsOf(nodes, source)), max);
		if (calm === source) return isProvenInert(nodes, source) ? source : void 0;
		source = calm;
	}
}
function editsOf(nodes, source) {
	const links = linksOf(nodes);
	return nodes.flatMap((node) => {
		if (node.type === "linkReference") return inlineLink(node, links);
		const [start, end] = sourceRange(node);
		const text = editOf(node, source, links);
		return text === void 0 ? [] : [{
			start,
			end,
			text
		}];
	});
}
function linksOf(nodes) {
	const definitions = nodes.filter((node) => node.type === "definition");
	const references = nodes.filter((node) => node.type === "linkReference");
	return {
		definitions: new Map(definitions.toReversed().map((node) => [node.identifier, node])),
		used: new Set(references.map((node) => node.identifier)),
		inside: insideLinks(nodes)
	};
}
function editOf(node, source, { used, inside }) {
	const [start, end] = sourceRange(node);
	const text = source.slice(start, end);
	if (node.type === "text") {
		const calm = inertText(text, isLineStart(source, start));
		return inside.has(node) ? calm : calm.replaceAll(ADDRESS, `$1$2${BREAK}`);
	}
	if (node.type === "html") return inertText(text, isLineStart(source, start)).replaceAll("<", "&lt;");
	if (node.type === "image" || node.type === "imageReference") return `&#33;${text.slice(1)}`;
	if (node.type === "link") return inertLink(node, text);
	if (isSuggestion(node)) return text.replace(/^([`~]+)[^\n]*/, "$1");
	if (node.type !== "definition") return void 0;
	return used.has(node.identifier) ? "" : inertText(`\\${text}`, true);
}
function inertLink(node, text) {
	const isBare = !text.startsWith("[");
	const leads = THREAD_URL.test(node.url);
	if (isBare && (leads || /^<?https?:\/\//i.test(text))) return code(text.replaceAll(/^<|>$/g, ""));
	return leads ? `${inertLine(words(node))} (${code(node.url)})` : void 0;
}
function words(node) {
	const spoken = (child) => child.type === "text" || child.type === "inlineCode" ? child.value : "";
	return [...walk(node)].map(spoken).join("");
}
function code(text) {
	return `\`${text.replaceAll("`", "")}\``;
}
function inlineLink(node, { definitions }) {
	const definition = definitions.get(node.identifier);
	const last = node.children.at(-1);
	if (!definition || !last) return [];
	const address = definition.url.replaceAll(/[\s<>\\]/g, encodeURIComponent);
	return [{
		start: sourceRange(last)[1],
		end: sourceRange(node)[1],
		text: `](<${address}>)`
	}];
}
function inertText(text, fromLineStart) {
	return text.replaceAll(ENTITY, "&amp;").replaceAll(MENTION, `@${BREAK}`).replaceAll(REFERENCE, `#${BREAK}`).replaceAll(GH_REFERENCE, `$1${BREAK}-`).replaceAll(TICK, (_, escaped) => escaped ?? "&#96;").split("\n").map((line, at) => at > 0 || fromLineStart ? line.replace(COMMAND, "$1\\/") : line).join("\n");
}
// src/github/markdown-thread.ts
serveJobs(answer);
function answer(ask) {
	if ("findCommandText" in ask) return { texts: findCommandText(ask.findCommandText, ask.phrase) };
	if ("cleanMarkdown" in ask) return cleanMarkdown(ask.cleanMarkdown);
	const text = makeInert(ask.makeInert, ask.max);
	return text === void 0 ? void 0 : {
		text,
		notes: []
	};
}
export {};
