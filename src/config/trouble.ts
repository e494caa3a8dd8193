const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
};

/** What the system says of a file, for people. */
export function troubleOf(thrown: unknown): string {
  const code = codeOf(thrown);
  return typeof code === 'string' ? (words[code] ?? code) : String(thrown);
}

export function isMissing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
}
