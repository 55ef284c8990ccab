import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Harmless tags without attributes that GitHub allows. */
const HARMLESS = /&lt;(\/?(?:b|br|code|details|em|i|kbd|p|strong|sub|summary|sup))\s*\/?&gt;/gi;

type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];
type Handler = NonNullable<NonNullable<HtmlExtension['exit']>['htmlFlow']>;

const begin: Handler = function begin() {
  this.buffer();
};

/** HTML inside Markdown: comments are dropped, harmless tags work, the rest is shown as text. */
const end: Handler = function end(token) {
  this.resume();
  const shown = this.sliceSerialize(token).replaceAll(COMMENT, '');
  this.raw(this.encode(shown).replaceAll(HARMLESS, '<$1>'));
};

const tame: HtmlExtension = {
  enter: { htmlFlow: begin, htmlText: begin },
  exit: { htmlFlow: end, htmlText: end },
};

/** Renders the text of a person or an agent as GitHub would. */
export function renderAsGithub(text: string): string {
  return micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml(), tame] });
}
