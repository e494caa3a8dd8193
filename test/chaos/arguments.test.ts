import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

describe('what chaos is told', () => {
  it('kills engines on SQLite unless told otherwise', () => {
    expect(readArguments([])).toMatchObject({ target: 'engine', targets: [], store: 'sqlite', engines: 1 });
    expect(readArguments(['--store', 'postgres'])).toMatchObject({ store: 'postgres', engines: 2 });
    expect(readArguments(['--target', 'server', '--kills', '3'])).toMatchObject({
      target: 'server',
      kills: 3,
    });
  });

  it('kills some of what there is where calls leave through a broker', () => {
    const all = ['--target', 'engine,bridge,kafka,postgres', '--kills', '60', '--tasks', '20000', '--json'];
    expect(readArguments(all)).toMatchObject({
      ...{ target: 'distributed', targets: ['engine', 'bridge', 'kafka', 'postgres'], store: 'postgres' },
      ...{ engines: 2, bridges: 2, kills: 60, tasks: 20_000, json: true },
    });
    expect(readArguments(['--target', 'bridge'])).toMatchObject({ targets: ['bridge'] });
  });

  it.each([
    ['--target', 'engine,kafkaa'],
    ['--target', 'bridge,bridge'],
    ['--target', 'bridge', '--store', 'sqlite'],
    ['--store', 'mysql'],
    ['--engines', '2'],
    ['--tasks', 'many'],
  ])('refuses %s %s', (...args) => {
    expect(() => readArguments(args)).toThrow();
  });
});
