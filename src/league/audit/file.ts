import { type FileHandle, open } from 'node:fs/promises';
import { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';

/**
 * The log as a file that people and programs read: JSON Lines, drawn from what the store has. It only ever grows. What a
 * crash left of a last line is taken off and written again; a whole line that differs is no accident, and stays for
 * somebody to look at.
 */
export class AuditFile {
  readonly #path: string;
  readonly #logger: Logger;
  #file: FileHandle | null = null;
  #pending: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** `known` is the log as the store has it. Throws GLZ1012 where the file says something else. */
  async open(known: AsyncIterable<string>): Promise<void> {
    const file = await open(this.#path, 'a+', 0o600);
    try {
      await this.#mend(file, known);
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
    this.#file = file;
  }

  async #mend(file: FileHandle, known: AsyncIterable<string>): Promise<void> {
    const written = wholeLines(file);
    let length = 0;
    let number = 0;
    let rest = '';
    let more = true;
    for await (const line of known) {
      number++;
      const found = more ? await written.next() : { done: true, value: undefined };
      if (found.done !== true && found.value !== line) throw different(this.#path, number);
      if (found.done === true) {
        // From here on there is only what a crash left of a line.
        if (more) await file.truncate(length);
        more = false;
        rest += `${line}\n`;
        if (rest.length > CHUNK) {
          await file.appendFile(rest);
          rest = '';
        }
      } else length += Buffer.byteLength(line) + 1;
    }
    if (more && (await written.next()).done !== true) throw different(this.#path, number + 1);
    if (more) await file.truncate(length);
    await written.return(undefined);
    await file.appendFile(rest);
    await file.sync();
  }

  /** In the order of these calls. What cannot be written is in the store, and comes with the next start. */
  write(lines: readonly string[]): void {
    if (this.#file === null) return;
    this.#pending.push(...lines);
    if (this.#busy) return;
    this.#busy = true;
    this.#writing = this.#flush(this.#file);
  }

  async #flush(file: FileHandle): Promise<void> {
    try {
      while (this.#pending.length > 0) await file.appendFile(`${this.#pending.splice(0).join('\n')}\n`);
      this.#busy = false;
    } catch (thrown) {
      // A line may be half written: nothing may follow it before it is mended.
      this.#file = null;
      await file.close().catch(() => {});
      this.#logger.error('the audit file cannot be written; it is completed at the next start', {
        error: String(thrown),
      });
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    const file = this.#file;
    this.#file = null;
    await file?.sync();
    await file?.close();
  }
}

const CHUNK = 256 * 1024;

/** Without what stands behind the last line break. */
async function* wholeLines(file: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let position = 0;
  let rest = '';
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function different(path: string, line: number): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${path} is not the log of this league: line ${line} differs`, {
    field: 'audit',
    hint: 'move the file away; it is written anew from the store',
  });
}
