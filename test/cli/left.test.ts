import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nothingLeft } from './left.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-left-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('nothingLeft', () => {
  it('is content with a folder in which nothing runs', async () => {
    await nothingLeft(folder);
  });

  it('ends a process that was left there, and names it', async () => {
    const child = spawn('sleep', ['60'], { cwd: folder });
    const ended = once(child, 'exit');
    await once(child, 'spawn');
    await expect(nothingLeft(folder, 100)).rejects.toThrow(`left running: ${child.pid} sleep 60`);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });
});
