/** Configurations that would take all memory or time, and what has to be said of them. */
export type Bomb = {
  readonly name: string;
  readonly text: () => string | Uint8Array;
  readonly says: RegExp;
};

export const bombs: readonly Bomb[] = [
  { name: 'aliases of aliases', text: laughs, says: /:\d+:\d+ .*too large when its aliases are written out/ },
  {
    name: '100,000 lists in each other',
    text: () => `server: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
    says: /:1:\d+ .*nests deeper than \d+ levels/,
  },
  { name: '50 MB', text: () => `# ${'x'.repeat(50_000_000)}\n`, says: /is larger than \d+ bytes/ },
  {
    name: '100,000 keys',
    text: () => Array.from({ length: 100_000 }, (_, index) => `k${index}: 1\n`).join(''),
    says: /more here than a file may hold|larger than/,
  },
  {
    name: 'an alias within its anchor',
    text: () => 'protocols: &all [*all, *all]\n',
    says: /:1:\d+ .*no anchor &all stands before this alias/,
  },
  {
    name: '__proto__ and its like',
    text: () => '__proto__: {port: 1}\nserver: {constructor: 1}\n',
    says: /:1:1 .*__proto__.* cannot be a key/,
  },
  {
    name: 'bytes that are no text',
    text: () => Buffer.from([0x73, 0x3a, 0x20, 0xff, 0xfe, 0x0a]),
    says: /not text in UTF-8/,
  },
];

/** A billion laughs: nine lists, each of nine times the one before. */
function laughs(): string {
  const list = (item: string) => `[${Array(9).fill(item).join(',')}]`;
  const lines = [...'bcdefghij'].map((name, index) => `${name}: &${name} ${list(`*${'abcdefghij'[index]}`)}`);
  return ['a: &a [x,x,x,x,x,x,x,x,x]', ...lines, ''].join('\n');
}
