import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The longest path that every system takes for a socket, with room for the zero at its end. */
const LONGEST = 103;

export type SocketPlace = { readonly path: string; remove(): void };

/** Beside the store; where that path is too long, in a folder of its own that nobody else can look into. */
export function socketPlace(store: string): SocketPlace {
  const path = `${store}.sock`;
  if (Buffer.byteLength(path) <= LONGEST) return { path, remove: () => rmSync(path, { force: true }) };
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'gleitzeit-')), 'store.sock');
  return {
    path: elsewhere,
    remove: () => rmSync(dirname(elsewhere), { recursive: true, force: true }),
  };
}
