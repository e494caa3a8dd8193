/** An address of the Internet Protocol as a number. One of version 4 that is carried inside one of version 6 is the inner one. */
export type Address = { readonly version: 4 | 6; readonly value: bigint };

/** All addresses that begin with the same bits. */
export type Network = { readonly version: 4 | 6; readonly value: bigint; readonly bits: number };

const widths = { 4: 32, 6: 128 } as const;

/** Reads `192.0.2.1` and `2001:db8::1` in any way RFC 4291 has of writing them, and nothing else. Null for what is no address. */
export function parseAddress(text: string): Address | null {
  if (!text.includes(':')) {
    const value = dotted(text);
    return value === null ? null : { version: 4, value };
  }
  const value = colons(text);
  return value === null ? null : innermost(value);
}

/** Reads `10.0.0.0/8`; an address without a length is a network of one. Null for what is none. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf('/');
  const written = slash === -1 ? text : text.slice(0, slash);
  const length = slash === -1 ? null : text.slice(slash + 1);
  const value = written.includes(':') ? colons(written) : dotted(written);
  if (value === null) return null;
  const version = written.includes(':') ? 6 : 4;
  if (length !== null && !/^\d{1,3}$/.test(length)) return null;
  const bits = length === null ? widths[version] : Number(length);
  if (bits > widths[version]) return null;
  const network = { version, value, bits } as const;
  const inner = version === 6 && bits >= 96 ? innermost(value) : null;
  return inner?.version === 4 ? { ...inner, bits: bits - 96 } : network;
}

export function isInside({ version, value }: Address, network: Network): boolean {
  if (version !== network.version) return false;
  const shift = BigInt(widths[version] - network.bits);
  return value >> shift === network.value >> shift;
}

/** Whether an address is one that anybody can reach: not of this machine, not of its network, not kept for a purpose. */
export function isPublic(address: Address): boolean {
  if (address.version === 6 && !isInside(address, globalUnicast)) return false;
  return !special.some((network) => isInside(address, network));
}

function dotted(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return null;
  const numbers = parts.map(Number);
  return numbers.every((number) => number < 256) ? joined(numbers, 8) : null;
}

/** `::` stands for as many zeros as are missing, once; the last two groups may be written as an address of version 4. */
function colons(text: string): bigint | null {
  const gap = text.indexOf('::');
  if (gap === -1) {
    const groups = groupsOf(text);
    return groups?.length === 8 ? joined(groups, 16) : null;
  }
  const head = text.slice(0, gap);
  const [before, after] = [head.includes('.') ? null : groupsOf(head), groupsOf(text.slice(gap + 2))];
  if (before === null || after === null) return null;
  const missing = 8 - before.length - after.length;
  return missing < 1 ? null : joined([...before, ...Array<number>(missing).fill(0), ...after], 16);
}

function groupsOf(text: string): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const inner = dotted(text.slice(text.lastIndexOf(':') + 1));
  const words = inner === null ? parts : parts.slice(0, -1);
  if (!words.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return null;
  const groups = words.map((word) => Number.parseInt(word, 16));
  return inner === null ? groups : [...groups, Number(inner >> 16n), Number(inner & 0xffffn)];
}

function joined(numbers: readonly number[], width: number): bigint {
  return numbers.reduce((sum, number) => (sum << BigInt(width)) | BigInt(number), 0n);
}

/** Written for version 6 and delivered by version 4: mapped (::ffff:0:0/96), and translated at the border (64:ff9b::/96). */
function innermost(value: bigint): Address {
  const prefix = value >> 32n;
  const carries = prefix === 0xffffn || prefix === 0x64ff9bn << 64n;
  return carries ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value };
}

const globalUnicast: Network = { version: 6, value: 0x2000n << 112n, bits: 3 };

/** The registries of special-purpose addresses (RFC 6890 and what followed), and what clouds keep for themselves. */
const special: readonly Network[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Looks public, and is the machine's own cloud (Azure) wherever it answers.
  '168.63.129.16',
  // Teredo and the rest of the protocol assignments; 6to4; documentation; the old test network.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3ffe::/16',
  '3fff::/20',
]
  .map(parseNetwork)
  .filter((found) => found !== null);
