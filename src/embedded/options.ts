import { GleitzeitError } from '../core/errors.ts';
import { kindOf } from '../core/json.ts';
import type { Logger } from '../core/ports/logger.ts';
import { didYouMean } from '../core/suggest.ts';
import type { FunctionContext } from '../dialects/function/provider.ts';
import type { MethodOf, ProtocolInput, ReceivedParamsOf, ResultOf } from '../registry/typed.ts';

/** Where everything is kept. A relative path counts from the working folder. */
export type StoreOptions =
  | { readonly type: 'sqlite'; readonly path?: string }
  | {
      readonly type: 'postgres';
      readonly url: string;
      /** Where its tables live in the database; `gleitzeit` unless told. */
      readonly schema?: string;
    };

/** A function for each method of a protocol, in this process. */
export type FunctionProvider<P extends ProtocolInput> = P extends ProtocolInput
  ? {
      readonly id: string;
      readonly protocol: P['name'];
      readonly methods: {
        readonly [M in MethodOf<P>]?: (
          params: ReceivedParamsOf<P, M>,
          context: FunctionContext,
        ) => ResultOf<P, M> | Promise<ResultOf<P, M>>;
      };
    }
  : never;

export type GleitzeitOptions<P extends ProtocolInput> = {
  readonly store?: StoreOptions;
  readonly protocols: readonly P[];
  readonly providers: readonly FunctionProvider<P>[];
  /** Calls that run at the same time; 256 unless told. */
  readonly concurrency?: number;
  /** Days that finished runs are kept; 30 unless told. */
  readonly retention_days?: number;
  /** Milliseconds others wait before they take over from an engine that says nothing; 3,000 unless told. */
  readonly lease_ttl_ms?: number;
  /** Base64 keys for fields marked `x-secret`, the current one first; otherwise from a key file beside the store. */
  readonly secret_keys?: readonly string[];
  readonly logger?: Logger;
};

const known = [
  'store',
  'protocols',
  'providers',
  'concurrency',
  'retention_days',
  'lease_ttl_ms',
  'secret_keys',
  'logger',
];
const numbers = { concurrency: 1, retention_days: 0, lease_ttl_ms: 100 } as const;
const storeKeys = { sqlite: ['type', 'path'], postgres: ['type', 'url', 'schema'] };

/** The whole of the options is checked before anything is opened, and an error names the field. */
export function checkOptions(options: object): void {
  refuseUnknown(options, known, '');
  const given = options as Record<string, unknown>;
  for (const [field, least] of Object.entries(numbers)) {
    const value = given[field];
    if (value === undefined) continue;
    if (typeof value === 'number' && Number.isFinite(value) && value >= least) continue;
    throw invalid(field, `must be a number of at least ${least}, found ${describe(value)}`);
  }
  for (const field of ['protocols', 'providers']) {
    if (!Array.isArray(given[field])) throw invalid(field, `must be a list, found ${describe(given[field])}`);
  }
  if (given['store'] !== undefined) checkStore(given['store']);
}

function checkStore(store: unknown): void {
  if (typeof store !== 'object' || store === null)
    throw invalid('store', `must be an object, found ${describe(store)}`);
  const { type, url } = store as { type?: unknown; url?: unknown };
  if (type !== 'sqlite' && type !== 'postgres') {
    throw invalid('store.type', `must be "sqlite" or "postgres", found ${describe(type)}`);
  }
  refuseUnknown(store, storeKeys[type], 'store.');
  if (type === 'postgres' && typeof url !== 'string') throw invalid('store.url', 'is missing');
}

function refuseUnknown(object: object, keys: readonly string[], prefix: string): void {
  for (const key of Object.keys(object)) {
    if (keys.includes(key)) continue;
    throw new GleitzeitError('GLZ1012', `unknown option ${prefix}${key}`, {
      field: prefix + key,
      hint: didYouMean(key, keys) ?? `known are: ${keys.join(', ')}`,
    });
  }
}

function invalid(field: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `option ${field} ${reason}`, { field, reason });
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : kindOf(value);
}
