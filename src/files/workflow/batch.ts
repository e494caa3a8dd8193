import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { MAX_TASKS_PER_CALL } from '../../core/limits.ts';
import type { Path } from '../path.ts';
import type { Call } from './call.ts';
import type { Draft } from './draft.ts';
import { patternHint, patternTrouble, readGlob } from './glob.ts';
import type { ReferenceText } from './texts.ts';

/**
 * Every file in a folder, in any order, as paths with `/` from the folder; those in folders below only where `deep`.
 * `directory` is what the file says. Throws where there is no such folder.
 */
export type BatchLister = (request: {
  readonly directory: string;
  readonly deep: boolean;
}) => readonly string[];

/** A file of a batch. */
export type BatchFile = {
  /** From the folder, with `/` between its parts. */
  readonly path: string;
  /** The folder as it is written, and the path. */
  readonly full: string;
};

const DIRECTORY: Path = ['batch', 'directory'];
const PATTERN: Path = ['batch', 'pattern'];

/** The files that a batch is about, sorted by path; none where something is wrong, of which somebody is told. */
export function filesOf(
  value: JsonObject,
  list: BatchLister | undefined,
  draft: Draft,
): readonly BatchFile[] {
  const batch = own(value, 'batch');
  if (!isObject(batch)) return [];
  const directory = own(batch, 'directory');
  const pattern = own(batch, 'pattern') ?? '*';
  if (typeof directory !== 'string' || typeof pattern !== 'string' || directory === '' || pattern === '')
    return [];
  const report = (path: Path, message: string, hint: string | null = null) => {
    const isThere = path.length === 2 && own(batch, String(path[1])) !== undefined;
    draft.report({ path, part: isThere ? 'value' : 'key', message, hint });
    return [];
  };
  const trouble = patternTrouble(pattern);
  if (trouble !== null) return report(PATTERN, trouble, 'write it like *.txt or **/*.md');
  if (list === undefined) {
    const hint = 'run the file where its folder is, or write the tasks out';
    return report(['batch'], 'folders cannot be listed here', hint);
  }
  try {
    const glob = readGlob(pattern);
    const found = list({ directory, deep: glob.deep }).filter((path) => glob.matches(path));
    if (found.length === 0)
      return report(PATTERN, `no file in ${directory} fits ${JSON.stringify(pattern)}`, patternHint(pattern));
    if (found.length > MAX_TASKS_PER_CALL) {
      return report(PATTERN, `fits ${found.length} files, and a batch takes at most ${MAX_TASKS_PER_CALL}`);
    }
    const folder = directory.replace(/\/+$/, '') || '/';
    return found.sort(byName).map((path) => ({ path, full: folder === '.' ? path : `${folder}/${path}` }));
  } catch (thrown) {
    return report(DIRECTORY, `cannot be listed: ${troubleOf(thrown)}`);
  }
}

/** The same on every machine. */
function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function troubleOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  if (code === 'ENOENT') return 'there is no such folder';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'ENOTDIR') return 'it is no folder';
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Ids that say which file they are for and stay the same when others come or go. */
export function batchIds(files: readonly BatchFile[]): readonly string[] {
  const taken = new Set<string>();
  return files.map(({ path }) => {
    const plain = `process-${path.replace(/[^\p{L}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '')}`.slice(0, 200);
    let id = plain;
    for (let n = 2; taken.has(id); n++) id = `${plain}-${n}`;
    taken.add(id);
    return id;
  });
}

const image = /\.(?:png|jpe?g|gif|bmp|webp)$/i;

/**
 * Where a template does not say itself what becomes of its file, it is put where earlier generations put it:
 * `file_path`, for pictures that are looked at `image_path`, for Python inside `context`.
 */
export function withFile(params: JsonObject, call: Call, file: BatchFile): JsonObject {
  // A name that looks like a reference is none.
  const full = file.full.replaceAll('${', () => '$${');
  if (call.protocol.startsWith('python/')) {
    const context: Json = isObject(params['context']) ? params['context'] : {};
    return { ...params, context: { ...context, file_path: full } };
  }
  const looks = call.method.endsWith('vision') && image.test(full);
  return { ...params, [looks ? 'image_path' : 'file_path']: full };
}

export function namesFile(texts: readonly ReferenceText[]): boolean {
  return texts.some(({ parts }) =>
    parts.some((part) => typeof part !== 'string' && part.some((use) => use.kind === 'file')),
  );
}
