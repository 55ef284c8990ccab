import { n as gfmFromMarkdown, r as fromMarkdown, t as gfm } from "./vendor-markdown.js";
// src/github/read/parse-markdown.ts
const OPTIONS = {
	extensions: [gfm()],
	mdastExtensions: [gfmFromMarkdown()]
};
/** Parses GitHub-flavoured Markdown. */
function parseMarkdown(source) {
	return fromMarkdown(source, OPTIONS);
}
export { parseMarkdown };
