import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { fromMessage, toMessage } from './mapping.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Maps {
    map<bool, string> switched = 1;
    map<int64, string> signed = 2;
    map<uint64, string> unsigned = 3;
    map<string, string> named = 4;
  }
`);
const type = root.resolveAll().lookupType('Maps');

describe('keys of maps', () => {
  it.each<[JsonObject]>([
    [{ switched: { true: 'a', false: 'b' } }],
    [{ signed: { '-1': 'a', '0': 'b', '9223372036854775807': 'c' } }],
    [{ unsigned: { '12345678': 'a', '18446744073709551615': 'b' } }],
    [{ named: { '12345678': 'eight characters', '': 'none' } }],
  ])('are what they were when they come back: %j', (value) => {
    const message = type.create(toMessage(type, value) as Record<string, unknown>);
    const back = fromMessage(type, type.decode(type.encode(message).finish()));
    expect(back).toEqual({ switched: {}, signed: {}, unsigned: {}, named: {}, ...value });
  });
});
