import { isObject, own } from '../json.ts';
import type { Bucket } from './bucket.ts';
import { type Claim, emptySheet, type Sheet } from './sheet.ts';

export function sheetText({ whole, claims, buckets, at }: Sheet): string {
  return JSON.stringify({
    whole,
    claims: [...claims].map(([name, list]) => [
      name,
      ...list.map(({ owner, held, hungry }) => [owner, held, hungry]),
    ]),
    buckets: [...buckets].map(([name, bucket]) => [name, bucket.tokens, bucket.at]),
    ...(at !== null && { at }),
  });
}

/** What makes no sense is left out: limits must not stop the work because of it. */
export function readSheet(text: string): Sheet {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return emptySheet;
  const whole = own(value, 'whole');
  const at = own(value, 'at');
  return {
    whole: typeof whole === 'string' ? whole : null,
    claims: new Map(listIn(own(value, 'claims')).flatMap(claimsIn)),
    buckets: new Map(listIn(own(value, 'buckets')).flatMap(bucketIn)),
    at: typeof at === 'number' ? at : null,
  };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function claimsIn(entry: unknown): [string, readonly Claim[]][] {
  const [name, ...list] = listIn(entry);
  return typeof name === 'string' ? [[name, list.flatMap(claimIn)]] : [];
}

function claimIn(entry: unknown): Claim[] {
  const [owner, held, hungry] = listIn(entry);
  if (typeof owner !== 'string' || typeof held !== 'number' || typeof hungry !== 'boolean') return [];
  return [{ owner, held, hungry }];
}

function bucketIn(entry: unknown): [string, Bucket][] {
  const [name, tokens, at] = listIn(entry);
  if (typeof name !== 'string' || typeof tokens !== 'number' || typeof at !== 'number') return [];
  return [[name, { tokens, at }]];
}
