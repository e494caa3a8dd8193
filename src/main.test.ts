import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createGleitzeit } from './main.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = { name: 'text/v1', methods: { shout: {} } } as const;
const local = { id: 'local', protocol: 'text/v1', methods: { shout: () => null } } as const;

describe('createGleitzeit', () => {
  it.each([
    ['a protocol twice', { protocols: [text, text] }, 'GLZ1012', 'protocols[1].name'],
    [
      'an unknown protocol',
      { providers: [{ ...local, protocol: 'text/v2' }] },
      'GLZ1012',
      'providers[0].protocol',
    ],
    [
      'an unknown method',
      { providers: [{ ...local, methods: { shuot: () => null } }] },
      'GLZ1012',
      'providers[0].methods.shuot',
    ],
    ['a key of the wrong size', { secret_keys: ['c2hvcnQ='] }, 'GLZ3010', 'secret_keys[0]'],
    ['a store that keeps nothing', { store: { type: 'sqlite', path: ':memory:' } }, 'GLZ1012', 'store.path'],
  ])('refuses %s before anything is opened', async (_what, wrong, code, field) => {
    const store = { type: 'sqlite', path: join(folder, 'store.db') };
    const options = { store, protocols: [text], providers: [local], ...wrong };
    await expect(createGleitzeit(options as never)).rejects.toMatchObject({ code, details: { field } });
    expect(readdirSync(folder)).toEqual([]);
  });
});
