import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { readCommand } from './command.ts';

const fill = (command: readonly string[], params: JsonObject) =>
  readCommand(command, '/config/command')({ params, call: { method: 'm', id: 'c' } });

describe('a command of the configuration', () => {
  it.each<[readonly string[], JsonObject, readonly string[]]>([
    [['tool', 'a b', '$HOME'], {}, ['tool', 'a b', '$HOME']],
    [['tool', '${params.x}'], { x: 'a b; rm -rf / $(x) `y` "z"' }, ['tool', 'a b; rm -rf / $(x) `y` "z"']],
    [['tool', '--n=${params.n}', '${params.n}'], { n: -1.5 }, ['tool', '--n=-1.5', '-1.5']],
    [['tool', '${params.list}', 'end'], { list: ['a', 'b', 3] }, ['tool', 'a', 'b', '3', 'end']],
    [['tool', '--list=${params.list}'], { list: ['a', 'b'] }, ['tool', '--list=["a","b"]']],
    [['tool', '${params.o}'], { o: { a: 1 } }, ['tool', '{"a":1}']],
    [['tool', '${params.no ?? null}', 'end'], {}, ['tool', 'end']],
    [['tool', '${params.no ?? "d"}', '${params.o.x[0]}'], { o: { x: ['v'] } }, ['tool', 'd', 'v']],
    [['tool', '--', '${params.x}'], { x: '-rf' }, ['tool', '--', '-rf']],
    [['tool', '--x=${params.x}'], { x: '-rf' }, ['tool', '--x=-rf']],
    [['tool', '${call.method}', '$${params.x}'], {}, ['tool', 'm', '${params.x}']],
    [['tool', ''], {}, ['tool', '']],
  ])('%j with %j is %j', (command, params, expected) => {
    expect(fill(command, params)).toEqual(expected);
  });

  it('gives every text to the program as one argument, whatever it holds', () => {
    const texts = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(texts, (x) => {
        expect(fill(['tool', '--', '${params.x}'], { x })).toEqual(['tool', '--', x]);
        expect(fill(['tool', '--x=${params.x}'], { x })).toEqual(['tool', `--x=${x}`]);
      }),
    );
  });

  it.each<[Json, string]>([
    ['-rf', 'GLZ2010'],
    ['--exec=sh', 'GLZ2010'],
    [['ok', '-x'], 'GLZ2010'],
    ['a\0b', 'GLZ2010'],
    [null, 'none'],
  ])('lets no task give options that its operator did not: %j', (x, code) => {
    const make = () => fill(['tool', '${params.x}'], { x });
    if (code === 'none') expect(make()).toEqual(['tool']);
    else expect(make).toThrow(expect.objectContaining({ code }));
  });

  it('says which param is missing', () => {
    expect(() => fill(['tool', '${params.path}'], { other: 1 })).toThrow(
      expect.objectContaining({ code: 'GLZ2006', message: '/config/command/1: there is no params.path' }),
    );
    expect(() => fill(['tool', '${params.__proto__}'], {})).toThrow(
      expect.objectContaining({ code: 'GLZ2006' }),
    );
  });

  it.each([
    [['${params.x}'], '/config/command/0', /cannot be filled in by a call/],
    [[''], '/config/command/0', /must not be empty/],
    [['tool', '${secrets.key}'], '/config/command/1', /cannot be filled in here/],
    [['tool', '${other.result}'], '/config/command/1', /cannot be filled in here/],
    [['tool', '${params.x'], '/config/command/1', /./],
  ])('refuses %j', (command, field, message) => {
    expect(() => readCommand(command, '/config/command')).toThrow(
      expect.objectContaining({
        code: 'GLZ1012',
        message: expect.stringMatching(message),
        details: expect.objectContaining({ field }),
      }),
    );
  });
});
