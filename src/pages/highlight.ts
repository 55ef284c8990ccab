import { parse, type TokenType } from 'sugar-high/core';
import { lang, languages } from 'sugar-high/lang';

/** Longer code, or code with more places where the parser looks ahead, would take too long. */
const CODE_MAX = 40_000;
const LOOKS_MAX = 2_000_000;

const CLASSES: Partial<Record<TokenType, string>> = {
  keyword: 'hk',
  string: 'hs',
  class: 'ht',
  property: 'hp',
  entity: 'he',
  comment: 'hc',
};
const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Code as highlighted markup, line by line; undefined if its language is unknown or it would take
 * too long. `name` is a language or a file extension. Call it only on the thread of `page-jobs.ts`.
 */
export function highlight(code: string, name: string): string[] | undefined {
  const language = lang(name.toLowerCase());
  const config = languages.find(({ id }) => id === language)?.config;
  const looks = code.split('<').length * code.length;
  if (language === undefined || code.length > CODE_MAX || looks > LOOKS_MAX) return undefined;
  return parse(code, config).lines.map(({ tokens }) => {
    const pieces: { name?: string | undefined; text: string }[] = [];
    for (const { type, value: text } of tokens) {
      const [last, name] = [pieces.at(-1), CLASSES[type]];
      if (last && last.name === name) last.text += text;
      else pieces.push({ name, text });
    }
    return pieces.map(({ name, text }) => span(text, name)).join('');
  });
}

function span(text: string, name: string | undefined): string {
  const escaped = escape(text);
  return name === undefined || text === '' ? escaped : `<span class="${name}">${escaped}</span>`;
}

const FENCE = /<pre><code class="language-([^"<>]*)">([^<]*)<\/code><\/pre>/g;
const NAMES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** Highlights the fenced code in rendered Markdown. */
export function highlightFences(markup: string): string {
  return markup.replaceAll(FENCE, (block, language: string, escaped: string) => {
    const code = escaped.replaceAll(/&(?:lt|gt|quot|amp);/g, (name) => NAMES[name] ?? name);
    const lines = highlight(code, language);
    return lines ? `<pre><code>${lines.join('\n')}</code></pre>` : block;
  });
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign);
}
