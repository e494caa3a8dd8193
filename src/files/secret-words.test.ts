import { describe, expect, it } from 'vitest';
import { maskValues } from './mask-values.ts';
import { maskLine } from './secret-words.ts';

describe('a line of a file that is shown', () => {
  it.each([
    ['password: hunter2pw', 'password: *********'],
    ['  - {api_key: hunter2pw, a: 1}', '  - {api_key: ********** ** **'],
    ['headers: {a: x}, timeout: 5}', 'headers: {a: *}, timeout: 5}'],
    ['headers: hunter2pw', 'headers: *********'],
    ['secrets: {a: "hunter2pw"}', 'secrets: {a: ***********}'],
    ['headers: {x-a: hunter2pw, x-b: [1, 2]}', 'headers: {x-a: *********, x-b: [*, *]}'],
    ['{hedaers: {a: hunter2pw}}', '{hedaers: {a: *********}}'],
    ['env: {A: "a b, c", B: \'x\'}', 'env: {A: ** ** **, B: ***}'],
    ['secrets: {a: {env: NAME}, b: {file: ./x}}', 'secrets: {a: {env: NAME}, b: {file: ./x}}'],
    ['url: "http://u:hunter2pw@h/x"', 'url: "http://u:*********@h/x"'],
    ['url: http://u:a/b@h', 'url: http://u:***@h'],
    ['url: "http://h:80/x"', 'url: "http://h:80/x"'],
    ['port: 8000', 'port: 8000'],
    ['env: NAME', 'env: NAME'],
  ])('%s is shown as %s', (line, shown) => {
    expect(maskLine(line)).toBe(shown);
  });

  it('can be shown without any value at all', () => {
    expect(maskValues('  a: hunter2pw')).toBe('  a: *********');
    expect(maskValues('  - hunter2pw x')).toBe('  - ********* *');
    expect(maskValues('hunter2pw')).toBe('*********');
    expect(maskValues('  a:')).toBe('  a:');
    expect(maskValues('{a: {env: NAME}, "b": x}')).toBe('{a: {env: NAME}, "b": *}');
    expect(maskValues('{"a":"x y", b: ["c"]}')).toBe('{"a":** **, b: [***]}');
    expect(maskValues('a: x, y: z}')).toBe('a: ** ** **');
    expect(maskValues('  a: "hunter: 2pw')).toBe('  a: ******** ***');
  });
});
