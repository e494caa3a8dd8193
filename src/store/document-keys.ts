/** Sorts behind every key that begins with the prefix, by the bytes of UTF-8: no text has the last character there is. */
export function afterAll(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
