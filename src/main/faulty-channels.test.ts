import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { openFaultyWay } from './faulty-channels.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

it('takes away what processes left that were killed, and nothing else', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const folderOf = (whose: string) => mkdtempSync(join(tmpdir(), `gleitzeit-faults-${whose}`));
  const [left, used, odd] = [folderOf(`${pid}-`), folderOf(`${process.pid}-`), folderOf('')];
  const way = openFaultyWay({ spec: {}, seed: 1 } as Parameters<typeof openFaultyWay>[0], logger);
  expect([left, used, odd].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  way.close();
  for (const folder of [used, odd]) rmSync(folder, { recursive: true });
});
