import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Progress, Provider } from '../../core/ports/provider.ts';
import { call, failure, type More, open, result } from './testing/calls.suite.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-python-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('Python', () => {
  const python = (config: object = {}) => open(config, 'python');
  const execute = (provider: Provider, params: JsonObject, more: More = {}) =>
    call(provider, params, { ...more, method: 'execute' });

  it.each<[JsonObject, unknown]>([
    [{ code: 'result = context["a"] + b', context: { a: 1, b: 2 } }, 3],
    [{ code: 'result = [args[0], len(args)]', args: ['x', 'y'] }, ['x', 2]],
    [{ code: 'result = args["k"]', args: { k: 1 } }, 1],
    [{ code: 'import sys\nresult = sys.argv[1:]', args: [1, 'b'] }, ['1', 'b']],
    [{ code: 'print("working")\nprint(\'{"a": [1]}\')' }, { a: [1] }],
    [{ code: 'print("only text")' }, 'only text'],
    [{ code: 'x = 1' }, null],
    [{ code: 'import json, os\nos.system("echo noise")\nresult = json.loads("[1]")' }, [1]],
    [{ code: 'def f(n):\n  return 1 if n < 2 else n * f(n - 1)\nresult = f(5)' }, 120],
    [{ code: 'import sys\nresult = 5\nsys.exit()' }, 5],
    [{ code: 'import sys\nresult = sys.stdin.read()' }, ''],
    [{ code: 'if __name__ == "__main__":\n  result = "ü"' }, 'ü'],
  ])('%j leaves %j', async (params, expected) => {
    expect(await result(execute(python(), params))).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ['raise ValueError("no")', 'ValueError: no', 'GLZ2010'],
    ['1/0', 'ZeroDivisionError: division by zero', 'GLZ2010'],
    ['x = (', "SyntaxError: '(' was never closed", 'GLZ2010'],
    ['result = {1, 2}', 'TypeError: the result cannot be written as JSON', 'GLZ2010'],
    ['result = float("nan")', 'TypeError: the result cannot be written as JSON', 'GLZ2010'],
    ['import sys; sys.exit("later perhaps")', 'later perhaps', 'GLZ2010'],
    ['import sys; sys.exit(75)', 'the code ended with exit code 75', 'GLZ2001'],
    ['import os; os.kill(os.getpid(), 9)', 'the Python code ended by SIGKILL', 'GLZ2002'],
  ])('%j fails: %s (%#)', async (code, message, error_code) => {
    const error = await failure(execute(python(), { code }));
    expect(error).toMatchObject({ message: expect.stringContaining(message), data: { error_code } });
  });

  it('says in which line of the code it went wrong', async () => {
    const error = await failure(execute(python(), { code: 'def f():\n  raise KeyError("k")\nf()' }));
    expect(error.data.details).toMatchObject({
      said: {
        type: 'KeyError',
        traceback: ['<code of the task>:3 in <module>', '<code of the task>:2 in f'],
      },
    });
  });

  it('tells what it prints as it prints it', async () => {
    const told: Progress[] = [];
    await execute(python(), { code: 'print("a")\nprint("b")' }, { report: (one) => told.push(one) });
    expect(told.map(({ text = '' }) => text).join('')).toBe('a\nb\n');
  });

  it('runs files of its folder, and no others', async () => {
    writeFileSync(join(folder, 'job.py'), 'result = [context["n"] * 2, __file__.split("/")[-1]]');
    const provider = python({ folder, code: false });
    expect(await result(execute(provider, { file: 'job.py', context: { n: 4 } }))).toEqual([8, 'job.py']);
    for (const file of ['../../etc/passwd', '/etc/passwd', `../${'x'}`])
      expect((await failure(execute(provider, { file }))).message).toMatch(/outside the folder|No such file/);
    expect((await failure(execute(provider, { code: 'result = 1' }))).message).toContain(
      'may not bring code',
    );
    expect((await failure(execute(python(), { file: 'job.py' }))).message).toContain('files are not allowed');
    expect(() => python({ code: false })).toThrow(expect.objectContaining({ code: 'GLZ1012' }));
  });

  it('ends at its limits', async () => {
    const small = python({ limits: { memory: 64 * 1024 * 1024 }, timeout: 5 });
    const memory = await failure(execute(small, { code: 'x = bytearray(300_000_000)' }));
    expect(memory.message).toMatch(/memory/);
    const slow = python({ timeout: 0.3 });
    expect((await failure(execute(slow, { code: 'while True: pass' }))).data.error_code).toBe('GLZ2003');
  });
});
