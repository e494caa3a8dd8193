import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemTimers } from '../embedded/system.ts';
import { rememberingLogger } from '../rpc/testing/quiet.suite.ts';
import { endLeftPrograms, programNotes } from './left-programs.ts';

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store.db-programs');
}

function program(...args: string[]) {
  return marked(undefined, ...args);
}

/** With the mark of a program that a server has started. */
function marked(mark: string | undefined, ...args: string[]) {
  const env = { ...process.env, GLEITZEIT_PROGRAM: mark };
  const command = args.length > 0 ? args.slice(1) : ['1000'];
  const child = spawn(args[0] ?? 'sleep', command, { detached: true, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { pid: child.pid ?? 0, ended: once(child, 'exit'), ready: once(child.stdout, 'data') };
}

/** As if the server that wrote it had died: another one of that number began at another time. */
function disown(file: string, change: (notes: Record<string, unknown>) => object = (notes) => notes): void {
  const notes = JSON.parse(readFileSync(file, 'utf8'));
  notes.server.start = '1';
  writeFileSync(file, JSON.stringify(change(notes)));
}

const sweep = (file: string, grace_ms = 200) => {
  const logger = rememberingLogger();
  const finish = endLeftPrograms({ files: [file], logger, timers: systemTimers, grace_ms });
  return { lines: logger.lines, finish };
};

describe.runIf(process.platform === 'linux')('programs of a server that was killed', () => {
  it('are ended by the next one, even those that will not end', async () => {
    const file = place();
    const notes = programNotes(file);
    const willing = program();
    const stubborn = program('sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done');
    await stubborn.ready;
    for (const { pid } of [willing, stubborn]) notes.started(pid);
    disown(file);
    expect(sweep(file).lines).toEqual([[expect.stringContaining('were left running'), { programs: 2 }]]);
    expect(await willing.ended).toEqual([null, 'SIGTERM']);
    expect(await stubborn.ended).toEqual([null, 'SIGKILL']);
    expect(existsSync(file)).toBe(false);
  });

  it('are not waited for by one that stops again', async () => {
    const file = place();
    const stubborn = program('sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done');
    await stubborn.ready;
    programNotes(file).started(stubborn.pid);
    disown(file);
    sweep(file, 60_000).finish();
    expect(await stubborn.ended).toEqual([null, 'SIGKILL']);
  });

  it('are ended with what has left their group, also where they have ended themselves', async () => {
    const file = place();
    const notes = programNotes(file);
    const first = marked('first');
    notes.started(first.pid, 'first');
    const strays = [
      marked('first'),
      marked('first', 'sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'),
    ];
    await strays[1]?.ready;
    const another = marked('another');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    disown(file);
    expect(sweep(file).lines).toEqual([[expect.stringContaining('were left running'), { programs: 1 }]]);
    expect(await Promise.all(strays.map(({ ended }) => ended))).toEqual([
      [null, 'SIGTERM'],
      [null, 'SIGKILL'],
    ]);
    expect(process.kill(another.pid, 0)).toBe(true);
  });

  it('are ended by notes of an earlier version too, which say nothing of a mark', async () => {
    const file = place();
    const one = marked('unknown');
    programNotes(file).started(one.pid, 'unknown');
    disown(file, (all) => ({ ...all, programs: [{ ...(all['programs'] as object[])[0], mark: undefined }] }));
    sweep(file);
    expect(await one.ended).toEqual([null, 'SIGTERM']);
  });

  it('are left alone where their number belongs to another by now, or their server lives', async () => {
    const file = place();
    const notes = programNotes(file);
    const { pid } = program();
    notes.started(pid);
    expect(sweep(file).lines).toEqual([]);
    expect(existsSync(file)).toBe(true);
    disown(file, (all) => ({ ...all, programs: [{ pid, start: '1' }] }));
    expect(sweep(file).lines).toEqual([]);
    expect(process.kill(pid, 0)).toBe(true);
  });

  it('are not looked for where the notes are of another boot, or are none', () => {
    const file = place();
    programNotes(file).started(program().pid);
    disown(file, (all) => ({ ...all, boot: 'another' }));
    expect(sweep(file).lines).toEqual([]);
    writeFileSync(file, '{');
    expect(sweep(file).lines).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it('leave no notes once they have ended', () => {
    const file = place();
    const notes = programNotes(file);
    const { pid } = program();
    notes.started(pid);
    notes.ended(pid);
    expect(existsSync(file)).toBe(false);
  });
});
