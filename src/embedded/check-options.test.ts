import { describe, expect, it } from 'vitest';
import { checkOptions } from './check-options.ts';

const provider = { id: 'p', protocol: 'x/v1', methods: { run: () => 1 } };
const right = { protocols: [], providers: [provider] };
const logger = { debug() {}, info() {}, warn() {}, error() {} };

describe('the options of createGleitzeit', () => {
  it.each([
    {},
    { concurrency: 1, retention_days: 0.5, lease_ttl_ms: 100 },
    { store: { type: 'sqlite' }, logger },
    { store: { type: 'sqlite', path: 'a/b.db' }, concurrency: undefined },
    { store: { type: 'postgres', url: 'postgres://h/d', schema: 'a_1' } },
    { secret_keys: ['abc'] },
  ])('are taken when they are right: %j', (options) => {
    expect(() => checkOptions({ ...right, ...options })).not.toThrow();
  });

  it.each([
    [{ concurency: 2 }, 'concurency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: '4' }, 'concurrency'],
    [{ concurrency: Number.POSITIVE_INFINITY }, 'concurrency'],
    [{ lease_ttl_ms: 5 }, 'lease_ttl_ms'],
    [{ lease_ttl_ms: 1e12 }, 'lease_ttl_ms'],
    [{ retention_days: -1 }, 'retention_days'],
    [{ retention_days: Number.NaN }, 'retention_days'],
    [{ protocols: {} }, 'protocols'],
    [{ providers: undefined }, 'providers'],
    [{ providers: [null] }, 'providers[0]'],
    [{ providers: [{ ...provider, id: '' }] }, 'providers[0].id'],
    [{ providers: [{ ...provider, id: 7 }] }, 'providers[0].id'],
    [{ providers: [provider, provider] }, 'providers[1].id'],
    [{ providers: [{ ...provider, protocol: 7 }] }, 'providers[0].protocol'],
    [{ providers: [{ ...provider, methods: null }] }, 'providers[0].methods'],
    [{ providers: [{ ...provider, methods: { run: 7 } }] }, 'providers[0].methods.run'],
    [{ providers: [{ ...provider, method: {} }] }, 'providers[0].method'],
    [{ store: null }, 'store'],
    [{ store: { type: 'mysql' } }, 'store.type'],
    [{ store: { type: 'sqlite', url: 'x' } }, 'store.url'],
    [{ store: { type: 'sqlite', path: '' } }, 'store.path'],
    [{ store: { type: 'sqlite', path: ':memory:' } }, 'store.path'],
    [{ store: { type: 'sqlite', path: 'file:a.db' } }, 'store.path'],
    [{ store: { type: 'sqlite', path: 'a\0b' } }, 'store.path'],
    [{ store: { type: 'postgres' } }, 'store.url'],
    [{ store: { type: 'postgres', url: '' } }, 'store.url'],
    [{ store: { type: 'postgres', url: 'x', schema: 'A' } }, 'store.schema'],
    [{ store: { type: 'postgres', url: 'x', schema: 'a'.repeat(64) } }, 'store.schema'],
    [{ secret_keys: 'abc' }, 'secret_keys'],
    [{ secret_keys: [] }, 'secret_keys'],
    [{ secret_keys: [7] }, 'secret_keys[0]'],
    [{ logger: { ...logger, warn: 7 } }, 'logger.warn'],
    [{ logger: null }, 'logger.debug'],
  ])('are refused with the field: %j', (options, field) => {
    expect(() => checkOptions({ ...right, ...options })).toThrow(
      expect.objectContaining({ code: 'GLZ1012', details: expect.objectContaining({ field }) }),
    );
  });

  it.each([undefined, null, 7, []])('must be an object, not %j', (options) => {
    expect(() => checkOptions(options)).toThrow(
      expect.objectContaining({ code: 'GLZ1012', details: expect.objectContaining({ field: 'options' }) }),
    );
  });
});
