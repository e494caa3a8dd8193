import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { CommitAnswer, CommitRequest, Store, StoreReads } from '../../core/ports/store.ts';
import { readonly } from './errors.ts';
import { type PackedRequest, packRequest } from './pack.ts';
import { type PackedAnswer, unpackAnswer } from './pack-answer.ts';
import { Thread } from './thread.ts';
import { truePath } from './true-path.ts';

export type SqliteOptions = {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Only reads, beside whoever holds the store. */
  readonly readonly?: boolean;
  /** For tests: the store's clock stands still here, and moves only by `advance`. */
  readonly standing?: number;
};

export interface SqliteStore extends Store {
  /** For tests: moves the store's clock forward. */
  advance(ms: number): Promise<void>;
}

const reads: readonly (keyof StoreReads)[] = [
  'task',
  'run',
  'result',
  'runResults',
  'inputs',
  'tasks',
  'runs',
  'events',
  'cursor',
  'document',
  'documents',
  'stats',
];

/**
 * A store in a file, held by one process. Writes and reads run in threads of their own, so that waiting for the disk
 * stops nothing else.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const path = truePath(options.path);
  const { clock, logger } = options;
  const reader = new Thread({ module: './reader', open: () => ({ path }) });
  const writer = options.readonly === true ? null : openWriter();
  let closing = false;

  function openWriter(): Thread {
    const wallOffset = clock.wall() - Date.now();
    return new Thread({
      module: './writer',
      open: (again) => ({ path, wallOffset, standing: options.standing ?? null, fresh: !again }),
      told: () => void checkpoint(),
    });
  }

  /** The reader's thread does most of it, beside the writer; the little that came meanwhile is the writer's. */
  async function checkpoint(): Promise<void> {
    try {
      await reader.call('checkpoint', null);
      await writer?.call('checkpoint', null);
    } catch (thrown) {
      if (!closing)
        logger.warn('the log of the store could not be moved into its file', { path, error: String(thrown) });
    }
  }

  async function commit(request: CommitRequest): Promise<CommitAnswer> {
    if (writer === null) throw readonly(path, 'it was opened to read only');
    const packed: PackedRequest = packRequest(request);
    const answer = await writer.call<PackedAnswer | { whole: CommitAnswer }>('commit', packed);
    return 'whole' in answer ? answer.whole : unpackAnswer(answer, request);
  }

  async function close(): Promise<void> {
    closing = true;
    // The reader first: what is left of the log can be moved into the file only when nobody reads from it.
    await reader.close();
    await writer?.close();
  }

  try {
    await writer?.open();
    await reader.open();
  } catch (thrown) {
    await close().catch(() => {});
    throw thrown;
  }
  const call = (name: keyof StoreReads) => [name, (...query: unknown[]) => reader.call(name, query)];
  return {
    commit,
    reads: Object.fromEntries(reads.map(call)) as StoreReads,
    // Nobody else can change the data, so there is never anything to tell.
    onChange: () => () => {},
    advance: async (ms) => {
      await writer?.call('advance', ms);
    },
    close,
  };
}
