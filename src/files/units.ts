import { GleitzeitError } from '../core/errors.ts';

const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** Bytes, from a number or from text with a unit: `8MiB`, `256KiB`, `1GB`. */
export function parseSize(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  const [, digits, unit = ''] =
    typeof value === 'string' ? (/^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(value) ?? []) : [];
  const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
  const bytes =
    digits === undefined || factor === undefined ? Number.NaN : Math.round(Number(digits) * factor);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new GleitzeitError('GLZ1012', 'is no size', {
    reason: 'is no size',
    hint: 'write a number of bytes, or text with a unit: 512B, 256KiB, 8MiB, 1GB',
  });
}

/** The shortest text that stands for exactly so many bytes. */
export function showSize(bytes: number): string {
  for (const [unit, factor] of [
    ['GiB', 1024 ** 3],
    ['MiB', 1024 ** 2],
    ['KiB', 1024],
  ] as const) {
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return String(bytes);
}
