/** A terminal's own colours, and the sixteen that programs choose from. */
export type Theme = {
  readonly background: string;
  readonly foreground: string;
  readonly edge: string;
  readonly title: string;
  readonly colours: readonly string[];
};

export type ThemeName = 'dark' | 'light';

/** Every colour can be read on its background: at least 4.5 to 1, as the test computes it. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    background: '#0d1117',
    foreground: '#e6edf3',
    edge: '#30363d',
    title: '#8b949e',
    colours: [
      '#7d8590',
      '#ff7b72',
      '#3fb950',
      '#d29922',
      '#58a6ff',
      '#bc8cff',
      '#39c5cf',
      '#b1bac4',
      '#8b949e',
      '#ffa198',
      '#56d364',
      '#e3b341',
      '#79c0ff',
      '#d2a8ff',
      '#56d4dd',
      '#f0f6fc',
    ],
  },
  light: {
    background: '#ffffff',
    foreground: '#1f2328',
    edge: '#d0d7de',
    title: '#59636e',
    colours: [
      '#24292f',
      '#cf222e',
      '#116329',
      '#7d4e00',
      '#0969da',
      '#8250df',
      '#1b6f7a',
      '#59636e',
      '#57606a',
      '#a40e26',
      '#0f6b2b',
      '#633c01',
      '#0a5bc4',
      '#7339c9',
      '#14636d',
      '#4b535d',
    ],
  },
};
