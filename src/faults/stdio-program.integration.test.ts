import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wrapperCommand } from './program-arguments.ts';
import { type FaultSpec, noFaults, readFaults } from './spec.ts';

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-wrapper-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The wrapper before a program that is given as its code. */
function wrap(code: string, spec: FaultSpec = noFaults) {
  return wrapCommand([process.execPath, '-e', code], spec);
}

function wrapCommand(command: readonly [string, ...string[]], spec = noFaults) {
  const turns = join(folder, String(count++));
  const told = { framing: 'auto', max_message: 1000, spec, seed: 1, turns, command } as const;
  const [program, ...args] = wrapperCommand(process.execPath, told);
  const child = spawn(program, args, { stdio: 'pipe' });
  const ended = once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  return { child, ended, said: text(child.stdout), told: text(child.stderr) };
}

const echo = 'process.stdin.pipe(process.stdout)';

describe('the wrapper of a program', () => {
  it('hands on what goes in and comes out, and ends with the program', async () => {
    const { child, ended, said } = wrap(`${echo}; process.stdin.on('end', () => process.exit(7))`);
    child.stdin.end('{"id":1}\n{"id":2}\n');
    expect(await ended).toEqual([7, null]);
    expect(await said).toBe('{"id":1}\n{"id":2}\n');
  });

  it('hands on late what the program said last, before it ends with it', async () => {
    const { ended, said } = wrap(`console.log('{"id":1}')`, readFaults('latency=200ms'));
    expect(await ended).toEqual([0, null]);
    expect(await said).toBe('{"id":1}\n');
  });

  it('keeps the framing of the program', async () => {
    const { child, ended, said } = wrap(echo, readFaults('wrong_answers=100%:other_id'));
    child.stdin.end('Content-Length: 8\r\n\r\n{"id":1}');
    await ended;
    expect(await said).toBe('Content-Length: 14\r\n\r\n{"id":"not-1"}');
  });

  it('ends by the signal that ended the program', async () => {
    const { ended } = wrap("process.kill(process.pid, 'SIGKILL')");
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('says that there is no such program', async () => {
    const { ended, told } = wrapCommand(['/no/such/program']);
    expect(await ended).toEqual([127, null]);
    expect(await told).toContain('/no/such/program could not be started');
  });

  it('asks the program to end when it is asked, and holds nothing back', async () => {
    const code = `process.on('SIGTERM', () => process.exit(3)); ${echo}; console.log('{"id":1}')`;
    const { child, ended, told } = wrap(code, readFaults('latency=1h'));
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect(await ended).toEqual([3, null]);
    expect(await told).toBe(`gleitzeit-fault: 3600000 ms late (${process.execPath})\n`);
  });
});
