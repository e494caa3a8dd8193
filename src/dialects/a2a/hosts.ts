/** Names under which a machine means itself, or, where it listens, all of its addresses. */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname.startsWith('127.') ||
    ['0.0.0.0', '[::]', '[::1]'].includes(hostname)
  );
}

/** The same port of this machine, under another of its names. */
export function sameHostAt(one: URL, other: URL): boolean {
  return (
    isLoopbackName(one.hostname) &&
    isLoopbackName(other.hostname) &&
    one.port === other.port &&
    one.protocol === other.protocol
  );
}
