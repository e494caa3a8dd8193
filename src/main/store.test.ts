import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { placeOf, readKeys } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-place-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the place of a store', () => {
  it('is the same by whatever name it is called, and its key lies there', () => {
    const home = join(folder, 'home');
    mkdirSync(home);
    symlinkSync(home, join(folder, 'link'));
    const path = join(home, 'store.db');
    const straight = placeOf({ type: 'sqlite', path });
    const linked = placeOf({ type: 'sqlite', path: join(folder, 'link', 'store.db') });
    const fromHere = placeOf({ type: 'sqlite', path: relative(process.cwd(), path) });
    expect(linked).toEqual(straight);
    expect(fromHere).toEqual(straight);
    expect(readKeys(linked)).toEqual(readKeys(straight));
  });

  it('stays a server where it is one, which has no key of its own', () => {
    const place = placeOf({ type: 'postgres', url: 'postgres://127.0.0.1/d' });
    expect(place).toEqual({ type: 'postgres', url: 'postgres://127.0.0.1/d' });
    expect(() => readKeys(place)).toThrow('no key');
  });
});
