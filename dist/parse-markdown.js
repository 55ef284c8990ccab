import { n as gfmFromMarkdown, r as fromMarkdown, t as gfm } from "./vendor-markdown.js";
// src/github/parse-markdown.ts
/** Parses GitHub-flavoured Markdown. */
function parseMarkdown(source) {
	return fromMarkdown(source, {
		extensions: [gfm()],
		mdastExtensions: [gfmFromMarkdown()]
	});
}
export { parseMarkdown };
