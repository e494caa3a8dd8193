import { describe, expect, it } from 'vitest';
import { wantsColour } from './paint.ts';

describe('colours', () => {
  it.each([
    [{ flag: undefined, env: {}, tty: true }, true],
    [{ flag: undefined, env: {}, tty: false }, false],
    [{ flag: 'auto', env: { NO_COLOR: '1' }, tty: true }, false],
    [{ flag: 'auto', env: { NO_COLOR: '' }, tty: true }, true],
    [{ flag: 'always', env: { NO_COLOR: '1' }, tty: false }, true],
    [{ flag: 'never', env: { FORCE_COLOR: '1' }, tty: true }, false],
    [{ flag: undefined, env: { FORCE_COLOR: '1' }, tty: false }, true],
    [{ flag: undefined, env: { FORCE_COLOR: '0' }, tty: true }, false],
    [{ flag: undefined, env: { TERM: 'dumb' }, tty: true }, false],
  ])('%j: %s', (wish, expected) => {
    expect(wantsColour(wish)).toBe(expected);
  });
});
