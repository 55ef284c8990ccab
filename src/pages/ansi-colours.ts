/**
 * Levels of red, green and blue in the colour cube of xterm, from 16 to 231; greys follow to 255.
 */
const LEVELS = [0, 95, 135, 175, 215, 255];
const CUBE = 16;
const GREYS = 232;

type Rgb = readonly [red: number, green: number, blue: number];

/** Whether a number means a fixed colour, as opposed to the sixteen of the theme. */
export function isCube(colour: number): boolean {
  return colour >= CUBE;
}

function rgbOf(colour: number): Rgb {
  const grey = 8 + 10 * (colour - GREYS);
  if (colour >= GREYS) return [grey, grey, grey];
  const at = (size: number): number => LEVELS[Math.floor((colour - CUBE) / size) % 6] ?? 0;
  return [at(36), at(6), at(1)];
}

const FIXED = Array.from({ length: 256 - CUBE }, (_, at) => at + CUBE);

/** The fixed colour nearest to a 24-bit colour, as xterm chooses it. */
export function nearestColour(...rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => Math.min(255, value || 0));
  if (red === green && green === blue && red >= 8 && red < 243)
    return GREYS + Math.floor((red - 3) / 10);
  const level = (value: number): number =>
    value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40);
  return CUBE + 36 * level(red) + 6 * level(green) + level(blue);
}

/** The theme's eight colours, as text and as background. */
const NAMED = {
  black: ['inherit', '#3b3b46'],
  red: ['var(--bad)', 'var(--bad)'],
  green: ['var(--good)', 'var(--good)'],
  yellow: ['var(--warn)', 'var(--warn)'],
  blue: ['var(--busy)', 'var(--busy)'],
  magenta: ['light-dark(#9c27a0,#e59be8)', '#9c27a0'],
  cyan: ['light-dark(#0b6e7d,#6fd3e2)', '#0b6e7d'],
  white: ['inherit', '#d5d5de'],
};

/**
 * A CSS class for each colour, because the pages' policy allows no inline styles. Text is made as
 * dark or light as the page needs, and black or white on a coloured background.
 */
export function ansiStyles(): string {
  const named = Object.entries(NAMED).map(
    ([name, [text, ground]]) => `.ansi-${name}{color:${text}}.ansi-on-${name}{--g:${ground}}`,
  );
  const fixed = FIXED.map((colour) => {
    const value = `rgb(${rgbOf(colour).join(' ')})`;
    return `.ansi-${colour}{--f:${value}}.ansi-on-${colour}{--g:${value}}`;
  });
  return [
    ...named,
    ...fixed,
    '.ansi-fixed{color:light-dark(oklch(from var(--f) min(l,.46) c h),oklch(from var(--f) max(l,.78) c h))}',
    '.ansi-ground{background:var(--g);color:oklch(from var(--g) calc((.64 - l)*999) 0 0)}',
  ].join('\n');
}
