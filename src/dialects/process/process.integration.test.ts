import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Progress } from '../../core/ports/provider.ts';
import { listening } from '../testing/listening.suite.ts';
import { call, failure, open, result } from './testing/calls.suite.ts';

const node = process.execPath;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = (code: string) => [node, '-e', code];

/** Resolves when the file is there: the program is far enough. */
async function written(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '')
    await new Promise((next) => setImmediate(next));
  return readFileSync(path, 'utf8');
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a program for each call', () => {
  it('reads the params and learns of the call, and gets nothing else of our environment', async () => {
    process.env['GLEITZEIT_TEST_OURS'] = 'ours';
    process.env['GLEITZEIT_TEST_KEPT'] = 'kept';
    const code =
      "let t='';process.stdin.on('data',d=>t+=d).on('end',()=>console.log(JSON.stringify({params:JSON.parse(t),env:process.env,cwd:process.cwd()})))";
    const provider = open({
      command: script(code),
      cwd: folder,
      env: { TOKEN: '${secrets.key}' },
      inherit_env: ['GLEITZEIT_TEST_KEPT', 'NOT_SET'],
    });
    const said = (await result(call(provider, { a: [1, 'ü'] }))) as { env: Record<string, string> };
    expect(said).toMatchObject({ params: { a: [1, 'ü'] }, cwd: folder });
    expect(said.env).toMatchObject({
      TOKEN: 'value-of-key',
      GLEITZEIT_TEST_KEPT: 'kept',
      GLEITZEIT_CALL_ID: 'c1',
      GLEITZEIT_TASK_ID: 't1',
      GLEITZEIT_WORKFLOW_ID: 'w1',
      GLEITZEIT_METHOD: 'm',
      GLEITZEIT_ATTEMPT: '2',
      TRACEPARENT: '00-t',
    });
    const known = new Set(['PATH', 'HOME', 'LANG', 'TMPDIR', 'TOKEN', 'TRACEPARENT', 'GLEITZEIT_TEST_KEPT']);
    const others = Object.keys(said.env).filter((name) => !known.has(name) && !name.startsWith('GLEITZEIT_'));
    expect(others).toEqual([]);
    expect(said.env['GLEITZEIT_TEST_OURS']).toBeUndefined();
  });

  it('is given text, or nothing, where that is what it reads', async () => {
    const echo = 'process.stdin.pipe(process.stdout)';
    const text = open({
      command: script(echo),
      stdin: 'text',
      stdin_text: 'Hi ${params.who}',
      output: 'text',
    });
    expect(await result(call(text, { who: 'Ö' }))).toBe('Hi Ö');
    const none = open({ command: script(echo), stdin: 'none', output: 'text' });
    expect(await result(call(none, { who: 'x' }))).toBe('');
  });

  it('may leave unread what it is given', async () => {
    const provider = open({ command: script('console.log(1)') });
    expect(await result(call(provider, { text: 'x'.repeat(1024 * 1024) }))).toBe(1);
  });

  it('can be another for single methods, and has only these where no other is named', async () => {
    const methods = { other: { command: script('console.log("o")'), output: 'text' } };
    const both = open({ command: script('console.log(1)'), methods });
    expect(await result(call(both))).toBe(1);
    expect(await result(call(both, {}, { method: 'other' }))).toBe('o');
    const one = open({ methods });
    expect([one.hasMethod('m'), one.hasMethod('other')]).toEqual([false, true]);
    const shared = open({
      command: script('process.exit(9)'),
      exit: { ok: [9] },
      output: 'none',
      methods: { other: { output: 'text' } },
    });
    expect(await result(call(shared, {}, { method: 'other' }))).toBe('');
  });

  it('tells how it is getting on by lines on standard error, and the rest are its last words', async () => {
    const told: Progress[] = [];
    const code =
      'console.error(\'{"progress":1,"total":2,"message":"half"}\\nnot progress: {}\\n{"other":1}\');process.stderr.write("last words");process.exit(4)';
    const provider = open({ command: script(code) });
    const error = await failure(call(provider, {}, { report: (progress) => told.push(progress) }));
    expect(told).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    expect(error.data.details).toMatchObject({ stderr: 'not progress: {}\n{"other":1}\nlast words' });
  });

  it('tells by a descriptor of its own, and what it prints as it prints it', async () => {
    const told: Progress[] = [];
    const report = (progress: Progress) => told.push(progress);
    const further =
      'require("fs").writeSync(3,\'{"progress":0.5}\\n{"text":"a"}\\nnoise\\n\');console.log("1\\n2")';
    const provider = open({ command: script(further), progress: 'fd3', output: 'jsonl' });
    expect(await result(call(provider, {}, { report }))).toEqual([1, 2]);
    expect(told).toContainEqual({ progress: 0.5 });
    expect(told.map(({ text = '' }) => text).join('')).toContain('1\n2\n');
  });

  it('keeps secrets out of what is told of it', async () => {
    const code =
      'console.error("key " + process.env.TOKEN); console.log(JSON.stringify({error:{message:"bad " + process.env.TOKEN}})); process.exit(1)';
    const error = await failure(call(open({ command: script(code), env: { TOKEN: '${secrets.key}' } })));
    expect(error.message).toBe('bad [secret]');
    expect(JSON.stringify(error)).not.toContain('value-of-key');
  });

  it('keeps secrets out of its progress too', async () => {
    const { report, told } = listening();
    const code =
      'console.error(JSON.stringify({progress:1,message:"with "+process.env.TOKEN}));process.stdout.write("a value-");process.stdout.write("of-key b")';
    const provider = open({ command: script(code), output: 'text', env: { TOKEN: '${secrets.key}' } });
    await call(provider, {}, { report });
    expect(told()).toEqual({ progress: 1, message: 'with [secret]', text: 'a [secret] b' });
  });

  it('is refused arguments that nothing can be started with', async () => {
    const provider = open({ command: [node, '--', '${params.x}'] });
    expect(await failure(call(provider, { x: 'x'.repeat(3_000_000) }))).toMatchObject({
      data: { error_code: 'GLZ2010', reason: 'its arguments are too long' },
    });
  });
});

describe('the end of a program', () => {
  it('is the end of everything it started, and comes before the answer', async () => {
    const note = join(folder, 'pids');
    const code = `const c=require('child_process').spawn(process.execPath,['-e','process.on("SIGTERM",()=>{});setInterval(()=>{},1e6)'],{stdio:'ignore'});require('fs').writeFileSync(${JSON.stringify(note)},process.pid+' '+c.pid);setInterval(()=>{},1e6)`;
    const end = new AbortController();
    const provider = open({ command: script(code), grace: 0.2 });
    const answer = failure(call(provider, {}, { signal: end.signal }));
    const pids = (await written(note)).split(' ').map(Number);
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect((await answer).data.error_code).toBe('GLZ2009');
    await expect.poll(() => pids.map(lives)).toEqual([false, false]);
  });

  it('comes with its timeout', async () => {
    const provider = open({ command: script('setInterval(()=>{},1e6)'), timeout: 0.1 });
    expect(await failure(call(provider))).toMatchObject({
      message: 'no answer within 0.1 s, the timeout of the provider',
      data: { error_code: 'GLZ2003' },
    });
  });

  it('takes along what it left running', async () => {
    const note = join(folder, 'left');
    const code = `const c=require('child_process').spawn(process.execPath,['-e','setInterval(()=>{},1e6)'],{stdio:'inherit'});require('fs').writeFileSync(${JSON.stringify(note)},String(c.pid));console.log(7);process.exit(0)`;
    expect(await result(call(open({ command: script(code) })))).toBe(7);
    expect(lives(Number(readFileSync(note, 'utf8')))).toBe(false);
  });

  it('comes when it holds more memory than it may', async () => {
    const code = 'const kept=[];setInterval(()=>kept.push(Buffer.alloc(8e6,1)),10)';
    const provider = open({ command: script(code), limits: { memory: 150 * 1024 * 1024 } });
    expect(await failure(call(provider))).toMatchObject({
      message: expect.stringMatching(/took more than 157286400 bytes of memory/),
      data: { error_code: 'GLZ2010' },
    });
  });

  it('comes when it prints without end', async () => {
    const provider = open({
      command: script('for(;;)require("fs").writeSync(1,"x".repeat(4096))'),
      limits: { output: 100_000 },
    });
    expect(await failure(call(provider))).toMatchObject({
      message: expect.stringMatching(/printed more than 100000 bytes/),
      data: { error_code: 'GLZ2005' },
    });
  });
});

describe('what is wrong with the configuration of a program', () => {
  it.each([
    [{}, '/config/command'],
    [{ command: [] }, '/config/command'],
    [{ command: ['x'], stdin: 'text' }, '/config/stdin_text'],
    [{ command: ['x'], methods: { nope: {} } }, '/config/methods/nope'],
    [{ methods: { m: { output: 'text' } } }, '/config/methods/m/command'],
    [{ command: ['x'], exit: { ok: [256] } }, '/config/exit/ok/0'],
    [{ command: ['x'], shell: true }, '/config/shell'],
    [{ command: ['x'], timeout: 'soon' }, '/config/timeout'],
    [{ command: ['x'], env: { A: '${params.x}' } }, '/config/env/A'],
  ])('%j is refused at %s', (config, field) => {
    expect(() => open(config)).toThrow(
      expect.objectContaining({ code: 'GLZ1012', details: expect.objectContaining({ field }) }),
    );
  });
});
