import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlMarkdown } from '../../src/pages/markdown.ts';

const render = async (text: string): Promise<string> => (await htmlMarkdown(text)).toString();

describe('Markdown by strangers', () => {
  it('is rendered as GitHub does', async () => {
    const page = await render(
      '**b** `c`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n~~x~~',
    );
    for (const tag of ['<strong>b</strong>', '<code>c</code>', '<table>', 'checkbox', '<del>x']) {
      expect(page).toContain(tag);
    }
  });

  it('colours fenced code of languages that are known, by classes, and changes no word of it', async () => {
    const code = 'const a = "<b>&amp;"; // `x`\nif (a < 1) stop();\n';
    const page = await render(`\`\`\`ts\n${code}\`\`\`\n\n\`\`\`odd\n${code}\`\`\``);
    expect(page).toContain('<span class="hk">const</span>');
    expect(page).toContain('<span class="hs">&quot;&lt;b&gt;&amp;amp;&quot;</span>');
    expect(page).not.toContain('style=');
    const [first, second] = page.replaceAll(/<\/?span[^>]*>/g, '').match(/<pre[^]*?<\/pre>/g) ?? [];
    const bare = (block = '') => block.replaceAll(/<[^>]*>/g, '');
    expect(bare(first)).toBe(bare(second));
  });

  it('leaves code without colours where it was written to be slow', async () => {
    const page = await render(`\`\`\`ts\n${'a<b '.repeat(4500)}\n\`\`\`\n\nAnd **this**`);
    expect(page).toContain('<strong>this</strong>');
    expect(page).not.toContain('<span');
  });

  it('keeps raw HTML as text', async () => {
    const page = await render(
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> a <b>c</b>',
    );
    expect(page).not.toMatch(/<(script|img|b)\b/);
    expect(page).toContain('&lt;script&gt;');
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    '[x](src/price.js)',
    '[x](/settings/sign-out)',
    '[x](https:/settings/sign-out)',
    '[x](http:settings)',
    '[x](https:&#47;settings)',
  ])('makes no harmful link of %s', async (text) => {
    expect(await render(text)).not.toContain('href');
  });

  it('loads nothing from anywhere', async () => {
    const page = await render('![alt](https://tracker.example/x.png)');
    expect(page).not.toContain('<img');
    expect(page).toContain('href="https://tracker.example/x.png"');
  });

  it('brings no ids that could stand for ours', async () => {
    const page = await render('# run\n\nnote[^1]\n\n[^1]: run');
    expect(page).not.toMatch(/\bid="/);
  });

  it('says of every link that it vouches for nothing', async () => {
    const page = await render('[a](https://a.example) https://b.example <https://c.example>');
    expect(page.match(/<a /g)).toHaveLength(3);
    expect(page.match(/rel="nofollow noopener noreferrer"/g)).toHaveLength(3);
  });

  it.each(['1. ', '> - ', '>', '**a ', '[^a]', 'x'])(
    'shows %j many thousand times over as it was written, without parsing it',
    async (trap) => {
      const text = trap.repeat(30_000 / trap.length);
      const escaped = text.replaceAll('>', '&gt;');
      expect(await render(text)).toBe(`<pre class="wrap">${escaped}</pre>`);
    },
  );

  it('opens no tag but its own', async () => {
    const own =
      /^(div|p|strong|em|code|pre|ul|ol|li|a|h[1-6]|hr|br|blockquote|table|thead|tbody|tr|th|td|del|input)$/;
    await fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom(...'<>"\'&[]()!*_`|-#:/\n \\=xaj'.split(''), 'javascript:'),
          maxLength: 60,
        }),
        async (text) => {
          const page = await render(text);
          for (const [, tag] of page.matchAll(/<\/?([a-z0-9]+)/gi)) expect(tag).toMatch(own);
          expect(page).not.toMatch(/<[^>]*\son\w+=/i);
        },
      ),
    );
  });
});
