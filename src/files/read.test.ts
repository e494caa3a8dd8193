import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBounded } from './read.ts';

function written(bytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'file');
  writeFileSync(file, Buffer.alloc(bytes, 'x'));
  return file;
}

describe('readBounded', () => {
  it.each([
    [0, 10, 0],
    [10, 10, 10],
    [1000, 10, 11],
    [200_000, 200_000, 200_000],
    [200_000, 150_000, 150_001],
  ])('of %i bytes, %i being allowed, reads %i', async (size, limit, read) => {
    const bytes = await readBounded(written(size), limit);
    expect(Buffer.from(bytes).equals(Buffer.alloc(read, 'x'))).toBe(true);
  });

  it('comes to an end where the file has none', async () => {
    expect(await readBounded('/dev/zero', 100)).toHaveLength(101);
  });

  it('fails as the system does', async () => {
    await expect(readBounded(join(tmpdir(), 'gleitzeit-none'), 1)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readBounded(tmpdir(), 1)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
