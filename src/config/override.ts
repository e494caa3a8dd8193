import type { Json } from '../core/json.ts';
import type { ParsedFile } from '../files/parsed.ts';
import type { Path } from '../files/path.ts';

/** A value that a variable sets. Lists and mappings are written as in the file, and have places of their own. */
export type Override = {
  readonly name: string;
  readonly path: Path;
  readonly value: Json;
  readonly parsed: ParsedFile | null;
};
