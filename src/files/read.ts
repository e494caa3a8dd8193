import { type FileHandle, open } from 'node:fs/promises';

const PIECE = 64 * 1024;

/** The first bytes of a file, one more than allowed where it is too large: nobody's disk is read to the end for that. */
export async function readBounded(file: string, limit: number): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    return await readUpTo(handle, limit + 1);
  } finally {
    await handle.close();
  }
}

async function readUpTo(handle: FileHandle, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let total = 0; total < most; ) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(PIECE, most - total)));
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(pieces);
}
