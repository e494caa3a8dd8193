import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../core/json-schema.ts';
import { isSecret, methodWithSecretKey, secretFields } from './secret-fields.ts';

const secret = { type: 'string', 'x-secret': true };

describe('secret fields', () => {
  it.each<[JsonSchema, string[]]>([
    [true, []],
    [{ properties: { a: { type: 'string' } } }, []],
    [{ properties: { a: { 'x-secret': false } } }, []],
    [{ properties: { a: { 'x-secret': 'yes' } } }, []],
    [{ properties: { key: secret, 'a/b': secret } }, ['/key', '/a~1b']],
    [{ 'x-secret': true, properties: { key: secret } }, ['']],
    [{ properties: { o: { properties: { key: secret } } } }, ['/o/key']],
    [{ properties: { list: { items: { properties: { key: secret } } } } }, ['/list/*/key']],
    [{ prefixItems: [true, secret] }, ['/1']],
    [{ additionalProperties: secret }, ['/*']],
    [{ patternProperties: { '^x': secret } }, ['/*']],
    [{ unevaluatedProperties: secret }, ['/*']],
    [{ unevaluatedItems: secret }, ['/*']],
    [{ contains: secret }, ['/*']],
    [
      {
        allOf: [{ properties: { a: secret } }],
        anyOf: [{ properties: { b: secret } }],
        oneOf: [{ properties: { c: secret } }],
      },
      ['/a', '/b', '/c'],
    ],
    [
      {
        if: { properties: { a: secret } },
        else: { properties: { b: secret } },
        not: { properties: { c: secret } },
      },
      ['/a', '/b', '/c'],
    ],
    [{ dependentSchemas: { a: { properties: { b: secret } } } }, ['/b']],
    [
      { properties: { a: { $ref: '#/$defs/k' }, b: { $ref: '#/$defs/k' } }, $defs: { k: secret } },
      ['/a', '/b'],
    ],
    [{ properties: { a: { $ref: '#/$defs/o' } }, $defs: { o: { properties: { k: secret } } } }, ['/a/k']],
    [
      { properties: { a: { $ref: '#/$defs/t' }, b: { $ref: '#/$defs/t' } }, $defs: { t: { items: secret } } },
      ['/a/*', '/b/*'],
    ],
    [{ properties: { next: { $ref: '#' }, v: { type: 'string' } } }, []],
  ])('of %j', (schema, pointers) => {
    expect(secretFields(schema)).toEqual(pointers);
  });

  it('cannot be listed for a schema without end', () => {
    expect(() => secretFields({ properties: { next: { $ref: '#' }, key: secret } })).toThrow(RangeError);
  });

  it.each([
    ['/key', ['/key'], true],
    ['/key/deep/er', ['/key'], true],
    ['/keys', ['/key'], false],
    ['', ['/key'], false],
    ['/list/3/key', ['/x', '/list/*/key'], true],
    ['/list/3/other', ['/list/*/key'], false],
    ['/list/3', ['/list/*/key'], false],
    ['/anything', [''], true],
    ['/key', [], false],
  ])('%s under %j', (pointer, secrets, expected) => {
    expect(isSecret(pointer, secrets)).toBe(expected);
  });
});

describe('a key of calls', () => {
  const object = (properties: Record<string, unknown>) => ({ params: { properties } as JsonSchema });
  const methods = {
    fine: object({ user: { type: 'string' } }),
    nested: object({ login: { properties: { 'a/b': secret, name: {} } }, all: { items: secret } }),
    open: { params: { additionalProperties: { properties: { pin: secret } } } as JsonSchema },
  };

  it.each([
    ['params.user', ['fine'], null],
    ['params.login.name', ['fine', 'nested'], null],
    ['params.login.a/b', ['fine', 'nested'], 'nested'],
    ['params.login.a/b.inner', ['nested'], 'nested'],
    ['params.login', ['nested'], 'nested'],
    ['params.all.0', ['nested'], 'nested'],
    ['params.anyone.pin', ['open'], 'open'],
    ['params.anyone.name', ['open'], null],
    ['workflow_id', ['nested', 'open'], null],
  ])('%s is secret where it is, is a part of, or has a part that is: %j', (key, names, found) => {
    const some = Object.entries(methods).filter(([name]) => names.includes(name));
    expect(methodWithSecretKey(key, Object.fromEntries(some))).toBe(found);
  });
});
