import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import { nearest } from '../core/suggest.ts';

export type NamedFile = {
  readonly cwd: string;
  /** As it was written. */
  readonly named: string;
  /** Which part of the command line named it. */
  readonly field: string;
};

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** What the system says of a file that was named on the command line, with the file that was probably meant. */
export async function unreadable(thrown: unknown, { cwd, named, field }: NamedFile): Promise<GleitzeitError> {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  const missing = code === 'ENOENT' || code === 'ENOTDIR';
  const near = missing ? await nearFile(cwd, named) : null;
  const looked = `looked for ${resolve(cwd, named)}`;
  return new GleitzeitError(missing ? 'GLZ1010' : 'GLZ1012', `${named} cannot be read`, {
    field,
    reason: words[String(code)] ?? String(code ?? thrown),
    hint: near === null ? looked : `${looked}; did you mean ${near}?`,
  });
}

const readableFile = /\.(?:ya?ml|json)$/i;
const MOST_NAMES = 1000;

/** A file in the same folder whose name, with or without what it ends in, is much like the one that was written. */
export async function nearFile(cwd: string, named: string): Promise<string | null> {
  const folder = dirname(named);
  const all = await readdir(resolve(cwd, folder)).catch(() => []);
  const names = all.filter((name) => readableFile.test(name)).slice(0, MOST_NAMES);
  const written = basename(named);
  const near = nearest(written, names) ?? nearByStem(written, names);
  return near === undefined ? null : join(folder, near);
}

function nearByStem(written: string, names: readonly string[]): string | undefined {
  const byStem = new Map(names.map((name) => [stemOf(name), name]));
  const stem = nearest(stemOf(written), byStem.keys());
  return stem === undefined ? undefined : byStem.get(stem);
}

function stemOf(name: string): string {
  return name.replace(readableFile, '').replace(/\.gleitzeit$/i, '');
}
