/** One step further down a JSON pointer (RFC 6901). */
export function child(pointer: string, key: string | number): string {
  if (typeof key === 'number') return `${pointer}/${key}`;
  return `${pointer}/${escapeKey(key)}`;
}

function escapeKey(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}
