import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { GleitzeitError } from '../../core/errors.ts';
import { type Replay, replay } from '../../league/audit/replay.ts';
import { verify } from '../../league/audit/verify.ts';

export type Audited = {
  readonly file: string;
  readonly intact: boolean;
  readonly lines: number;
  readonly hash: string | null;
  readonly reason: string | null;
};

/** Whether every line of an audit log follows on from the one before it. */
export async function auditFile(file: string): Promise<Audited> {
  const found = await verify(await linesOf(file));
  return found.intact
    ? { file, intact: true, lines: found.lines, hash: found.hash, reason: null }
    : { file, intact: false, lines: found.line - 1, hash: null, reason: found.reason };
}

export async function replayFile(file: string): Promise<Replay & { readonly file: string }> {
  return { file, ...(await replay(await linesOf(file))) };
}

async function linesOf(file: string): Promise<AsyncIterable<string>> {
  await stat(file).catch((thrown: unknown) => {
    throw new GleitzeitError('GLZ1010', `${file}: ${GleitzeitError.from(thrown).message}`, { field: 'file' });
  });
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}
