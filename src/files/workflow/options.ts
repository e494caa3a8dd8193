import type { BatchLister } from './batch.ts';
import type { BatchReader } from './batch-text.ts';
import type { KnownProtocols } from './known.ts';

export type ReadWorkflowOptions = {
  /** As people are shown it. */
  readonly file: string;
  /** What is known of protocols. Without it params and paths into results are not checked. */
  readonly protocols?: KnownProtocols | undefined;
  /** Lists the files of a batch. Without it a batch is refused. */
  readonly list?: BatchLister | undefined;
  /** Reads them, for those who are shown a text instead of its path. */
  readonly read?: BatchReader | undefined;
};
