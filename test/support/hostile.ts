/**
 * Text that tries to become markup, a script or a link that runs one, wherever it is put: each
 * attempt sets `window.pwned` or asks the address below when it succeeds (threats.md S5).
 */
export const TRACKER = 'http://tracker.invalid';

export const HOSTILE: readonly string[] = [
  '<script>window.pwned=1</script>',
  '"><img src=x onerror="window.pwned=2">',
  "'><svg onload=window.pwned=3>",
  '</title></textarea></pre></code><script>window.pwned=4</script>',
  `<img src="${TRACKER}/pixel.png">`,
  `![x](${TRACKER}/pixel.png)`,
  '[click](javascript:window.pwned=5)',
  '<a href="javascript:window.pwned=6">click</a>',
  'javascript:window.pwned=7',
  '<iframe srcdoc="<script>parent.pwned=8</script>"></iframe>',
  '<style>body{display:none}</style><link rel=stylesheet href="/x.css">',
  '<meta http-equiv="refresh" content="0;url=/settings">',
  '<base href="http://tracker.invalid/">',
  '<form action="http://tracker.invalid/" id=run><input name=attributes></form>',
  '<details open ontoggle=window.pwned=9><summary>x</summary></details>',
  '{{constructor.constructor("window.pwned=10")()}}${window.pwned=11}',
  '\u001B]8;;javascript:window.pwned=12\u0007link\u001B]8;;\u0007\u001B[31m<b onmouseover=window.pwned=13>red</b>',
  '&lt;script&gt;window.pwned=14&lt;/script&gt;',
  '<<script>window.pwned=15//<</script>',
  '`<script>window.pwned=16</script>`\n\n```html\n<script>window.pwned=17</script>\n```',
  '| <script>window.pwned=18</script> |\n|---|\n| <img src=x onerror=window.pwned=19> |',
  '<template><script>window.pwned=20</script></template><noscript><p title="</noscript><img src=x onerror=window.pwned=21>">',
  '\u202Etxt.exe\u202C <math><mtext><table><mglyph><style><img src=x onerror=window.pwned=22>',
];

/**
 * Tags of a page that would run something: a script without the page's nonce, a handler, a link to
 * a script.
 */
export async function harmIn(page: Response): Promise<string[]> {
  const policy = page.headers.get('content-security-policy') ?? '';
  const own = `nonce="${/'nonce-([^']+)'/.exec(policy)?.[1]}"`;
  const tags = (await page.text()).match(/<[a-z](?:"[^"]*"|'[^']*'|[^>"'])*>/gi) ?? [];
  return tags.filter(
    (tag) =>
      (/^<script/i.test(tag) && !tag.includes(own)) ||
      /[\s"'/]on\w+\s*=/i.test(tag.replaceAll(/"[^"]*"|'[^']*'/g, '""')) ||
      /\s(?:href|src|action)\s*=\s*["']?\s*javascript:/i.test(tag),
  );
}
