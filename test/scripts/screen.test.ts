import { describe, expect, it } from 'vitest';
import { Screen } from '../../scripts/capture/screen.ts';
import { svgOf } from '../../scripts/capture/svg.ts';
import { themes } from '../../scripts/capture/theme.ts';

const ESC = '\u001b';

function shown(text: string, size: Partial<{ columns: number; rows: number }> = {}): Screen {
  const screen = new Screen({ columns: 20, rows: 5, ...size });
  screen.write(text);
  return screen;
}

describe('a screen', () => {
  it.each([
    ['plain lines', 'one\r\ntwo', ['one', 'two']],
    ['a line that is written over', 'first\rlast', ['lastt']],
    ['a line that is erased first', `first\r${ESC}[Klast`, ['last']],
    ['the same by its number', `first${ESC}[2K\rlast`, ['last']],
    ['two lines up, and all below erased', `a\r\nb\r\nc${ESC}[2A\r${ESC}[Jz`, ['z']],
    ['a place by its numbers', `${ESC}[2;3Hx`, ['', '  x']],
    ['columns by number, and back', `abc${ESC}[1Gx${ESC}[1Cy${ESC}[2Dz`, ['xzy']],
    ['a line up at its beginning', `abc\r\nd${ESC}[Fx`, ['xbc', 'd']],
    ['a remembered place', `a${ESC}7bc${ESC}8x`, ['axc']],
    ['tabs and backspaces', 'a\tb\bc', ['a       c']],
    ['characters of two columns', '日本x', ['日本x']],
    ['marks on the character before', 'e\u0301x', ['e\u0301x']],
  ])('shows %s', (_, text, lines) => {
    expect(shown(text).text()).toEqual(lines);
  });

  it('keeps what scrolls away, and does not go back to it', () => {
    const screen = shown(`1\r\n2\r\n3\r\n4\r\n5\r\n6${ESC}[99A\rx`);
    expect(screen.text()).toEqual(['1', 'x', '3', '4', '5', '6']);
  });

  it('says which rows were too long', () => {
    const screen = shown(`${'x'.repeat(20)}\r\n${'y'.repeat(21)}`);
    expect(screen.text()).toEqual(['x'.repeat(20), 'y'.repeat(20), 'y']);
    expect([...screen.wrapped]).toEqual([1]);
  });

  it('takes sequences and characters in pieces', () => {
    const screen = new Screen({ columns: 20, rows: 5 });
    for (const byte of Buffer.from(`é${ESC}[31mx${ESC}]0;title\u0007${ESC}]8;;url${ESC}\\y`))
      screen.write(Uint8Array.of(byte));
    expect(screen.text()).toEqual(['éxy']);
    expect(screen.lines[0]?.map(({ style }) => style.fg)).toEqual([null, 1, 1]);
  });

  it('hands on what is meant for the terminal itself', () => {
    const heard: string[] = [];
    new Screen({ columns: 20, rows: 5 }, (text) => heard.push(text)).write(`${ESC}]777;done${ESC}\\`);
    expect(heard).toEqual(['777;done']);
  });

  it('hides the cursor and shows it', () => {
    expect(shown(`${ESC}[?25l`).cursorShown).toBe(false);
    expect(shown(`${ESC}[?25l${ESC}[?25h`).cursorShown).toBe(true);
  });

  it.each([`${ESC}[38;5;200m`, `${ESC}[5m`, `${ESC}[3S`, `${ESC}[?1049h`, `${ESC}c`, '\u0001', `${ESC}[1J`])(
    'refuses what it does not know: %j',
    (text) => {
      expect(() => shown(text)).toThrow('the terminal does not know');
    },
  );
});

describe('a picture of it', () => {
  const { dark } = themes;

  it('has each run of one look at its column, in its colour', () => {
    const { lines } = shown(`ok ${ESC}[1;32m✓ done${ESC}[0m <&>`);
    const svg = svgOf({ lines, columns: 20, title: 'run', theme: dark });
    expect(svg).toContain(`fill="${dark.colours[2]}" font-weight="bold">✓\u00a0done</text>`);
    expect(svg).toContain('>&lt;&amp;&gt;</text>');
    expect(svg).toContain('x="16" y="62"');
    expect(svg).toContain('x="41.2" y="62"');
  });

  it('has the background of what is shown the other way round', () => {
    const { lines } = shown(`${ESC}[7mx`);
    const svg = svgOf({ lines, columns: 20, title: 'run', theme: dark });
    expect(svg).toContain(`<rect x="16" y="48" width="8.4" height="18" fill="${dark.foreground}"/>`);
    expect(svg).toContain(`fill="${dark.background}">x</text>`);
  });

  it.each(Object.entries(themes))('can be read in every colour of the %s theme', (_, theme) => {
    const { foreground, title, colours, background } = theme;
    for (const colour of [foreground, title, ...colours])
      expect(contrast(colour, background), colour).toBeGreaterThan(4.5);
  });
});

/** As WCAG 2 has it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
