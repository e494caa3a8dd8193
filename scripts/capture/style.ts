/** The sixteen colours every terminal has, by number; null is the terminal's own. */
export type Style = {
  readonly fg: number | null;
  readonly bg: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
};

export const plain: Style = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

/** What a number after `CSI … m` changes. More than these a terminal need not know to show what we print. */
const changes: ReadonlyMap<number, Partial<Style>> = new Map<number, Partial<Style>>([
  [0, plain],
  [1, { bold: true }],
  [2, { dim: true }],
  [3, { italic: true }],
  [4, { underline: true }],
  [7, { inverse: true }],
  [22, { bold: false, dim: false }],
  [23, { italic: false }],
  [24, { underline: false }],
  [27, { inverse: false }],
  [39, { fg: null }],
  [49, { bg: null }],
  ...eight(30, 0).map(([code, fg]) => [code, { fg }] as const),
  ...eight(90, 8).map(([code, fg]) => [code, { fg }] as const),
  ...eight(40, 0).map(([code, bg]) => [code, { bg }] as const),
  ...eight(100, 8).map(([code, bg]) => [code, { bg }] as const),
]);

function eight(code: number, colour: number): (readonly [number, number])[] {
  return Array.from({ length: 8 }, (_, index) => [code + index, colour + index] as const);
}

/** Undefined for a number that is not among them. */
export function styled(style: Style, code: number): Style | undefined {
  const change = changes.get(code);
  return change === undefined ? undefined : { ...style, ...change };
}
