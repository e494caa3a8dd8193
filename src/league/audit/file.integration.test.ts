import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import { AuditFile } from './file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(folder, 'audit.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const lines = ['{"seq":1}', '{"seq":2,"ä":"ö"}', '{"seq":3}'];
const text = `${lines.join('\n')}\n`;

async function* known(some: readonly string[]): AsyncGenerator<string> {
  yield* some;
}

async function opened(some: readonly string[]): Promise<AuditFile> {
  const file = new AuditFile(path, quiet.logger);
  await file.open(known(some));
  return file;
}

describe('the audit file', () => {
  it('is drawn from the store, readable by its owner alone', async () => {
    const file = await opened(lines);
    file.write(['{"seq":4}']);
    file.write(['{"seq":5}', '{"seq":6}']);
    await file.close();
    expect(await readFile(path, 'utf8')).toBe(`${text}{"seq":4}\n{"seq":5}\n{"seq":6}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each(Array.from({ length: text.length + 1 }, (_, cut) => cut))(
    'mends its tail after %i characters',
    async (cut) => {
      await writeFile(path, text.slice(0, cut));
      await (await opened(lines)).close();
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  it('takes off what a crash left behind the last line', async () => {
    await writeFile(path, `${text}\0\0\0{"seq":`);
    await (await opened(lines)).close();
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it.each([
    ['another line', text.replace('2', '7')],
    ['lines that the store does not know', `${text}{"seq":4}\n`],
  ])('is left as it is where it has %s', async (_name, changed) => {
    await writeFile(path, changed);
    await expect(opened(lines)).rejects.toMatchObject({ code: 'GLZ1012' });
    expect(await readFile(path, 'utf8')).toBe(changed);
  });
});
