import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { newKey } from './cipher.ts';
import { readKeyFile } from './key-file.ts';

const posix = process.platform !== 'win32';

describe('the key file', () => {
  let folder = '';
  let path = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gleitzeit-key-'));
    path = join(folder, 'deep', 'er', 'store.key');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function put(text: string, mode = 0o600): void {
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
    writeFileSync(path, text, { mode });
    chmodSync(path, mode);
  }

  function refusal(): GleitzeitError {
    try {
      readKeyFile(path);
    } catch (thrown) {
      return GleitzeitError.from(thrown);
    }
    throw new Error('it was read');
  }

  it('is made when it is missing, with its folder, and is the same from then on', () => {
    const [key] = readKeyFile(path);
    expect(key).toHaveLength(32);
    expect(readKeyFile(path)).toEqual([key]);
    expect(readdirSync(join(folder, 'deep', 'er'))).toEqual(['store.key']);
    expect(readFileSync(path, 'utf8')).toBe(`${key?.toString('base64')}\n`);
  });

  it.runIf(posix)('can be read by its owner only', () => {
    readKeyFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('may hold several keys, the current one first', () => {
    const keys = [newKey(), newKey()];
    put(`\n${keys[0]}\r\n  \n${keys[1]}`);
    expect(readKeyFile(path).map((key) => key.toString('base64'))).toEqual(keys);
  });

  it.runIf(posix).each([0o640, 0o604, 0o660, 0o666])('is refused when others can read it (%o)', (mode) => {
    put(newKey(), mode);
    expect(refusal()).toMatchObject({
      code: 'GLZ3010',
      message: expect.stringContaining(path),
      details: { hint: `chmod 600 ${path}` },
    });
  });

  it.each(['', '\n\n'])('is refused and left alone when there is no key in it (%j)', (text) => {
    put(text);
    expect(refusal()).toMatchObject({ code: 'GLZ3010', message: `${path} holds no key` });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is refused when what is in it is no key, by name and without showing it', () => {
    put(`${newKey()}\nnot-a-key\n`);
    const error = refusal();
    expect(error).toMatchObject({ code: 'GLZ3010', message: expect.stringContaining(path) });
    expect(JSON.stringify(error.toRecord())).not.toContain('not-a-key');
  });

  it('is refused when it is no file, or cannot be made', () => {
    mkdirSync(path, { recursive: true });
    expect(refusal().code).toBe('GLZ3010');
    writeFileSync(join(folder, 'file'), '');
    path = join(folder, 'file', 'store.key');
    expect(refusal().code).toBe('GLZ3010');
  });
});
