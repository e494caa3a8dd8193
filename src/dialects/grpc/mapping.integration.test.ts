import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { call, failure, open, result } from './testing/calls.suite.ts';
import { actProto, protoFolder, startService } from './testing/service.suite.ts';

const unset = {
  small: 0,
  large: '0',
  real: 0,
  yes: false,
  data: '',
  colour: 'NONE',
  inner: [],
  counts: {},
  at: null,
  takes: null,
  wrapped: null,
  free: null,
  list: null,
  shape: null,
  count: 0,
  huge: '0',
  numbered: {},
  switched: {},
};

describe.each([
  ['server reflection', {}],
  ['.proto files', { proto: [actProto], include: [protoFolder] }],
])('messages by %s', (_, described) => {
  let service: Awaited<ReturnType<typeof startService>>;
  let provider: Provider;
  beforeAll(async () => {
    service = await startService();
    provider = open({ url: service.url, ...described });
  });
  afterAll(async () => {
    await provider.close?.();
    await service.stop();
  });

  it.each<[JsonObject, JsonObject]>([
    [{}, {}],
    [
      { small: -5, count: 4294967295, real: 1.25, yes: true },
      { small: -5, count: 4294967295, real: 1.25, yes: true },
    ],
    [{ large: '9007199254740991' }, { large: '9007199254740991' }],
    [{ large: 12 }, { large: '12' }],
    [{ large: '-9223372036854775808' }, { large: '-9223372036854775808' }],
    [{ huge: '18446744073709551615' }, { huge: '18446744073709551615' }],
    [{ data: '-_8' }, { data: '+/8=' }],
    [{ numbered: { '7': 'a', '-1': 'b' } }, { numbered: { '7': 'a', '-1': 'b' } }],
    [{ data: 'AAEC/w==' }, { data: 'AAEC/w==' }],
    [{ colour: 'RED' }, { colour: 'RED' }],
    [{ colour: 1 }, { colour: 'RED' }],
    [{ counts: { a: 1, b: '2' } }, { counts: { a: '1', b: '2' } }],
    [{ maybe: 0 }, { maybe: 0 }],
    [{ left_side: '' }, { left_side: '' }],
    [{ leftSide: 'by its other name' }, { left_side: 'by its other name' }],
    [{ small: null }, {}],
    [{ real: 'Infinity' }, { real: 'Infinity' }],
    [{ at: '2026-11-16T12:00:00.123456Z' }, { at: '2026-11-16T12:00:00.123456Z' }],
    [{ at: '2026-11-16T14:00:00+02:00' }, { at: '2026-11-16T12:00:00Z' }],
    [{ takes: '-1.5s' }, { takes: '-1.500s' }],
    [{ takes: '3s' }, { takes: '3s' }],
    [{ wrapped: '7' }, { wrapped: '7' }],
    [{ free: { a: [1, null, { b: 'x' }] } }, { free: { a: [1, null, { b: 'x' }] } }],
    [{ list: [1, 'x', [], {}] }, { list: [1, 'x', [], {}] }],
    [{ shape: { corners: 3 } }, { shape: { corners: 3 } }],
    [
      { inner: [{ name: 'a', next: { name: 'b' } }] },
      { inner: [{ name: 'a', next: { name: 'b', next: null } }] },
    ],
  ])('%j comes back as %j', async (params, expected) => {
    expect(await result(call(provider, params))).toEqual({ ...unset, ...expected });
  });

  it.each<[JsonObject, string, RegExp]>([
    [{ smal: 1 }, '/smal', /has no field "smal"/],
    [{ small: 'x' }, '/small', /whole number/],
    [{ small: 2 ** 31 }, '/small', /whole number/],
    [{ count: -1 }, '/count', /whole number/],
    [{ large: 1.5 }, '/large', /whole number/],
    [{ large: '9223372036854775808' }, '/large', /whole number/],
    [{ huge: -1 }, '/huge', /whole number/],
    [{ huge: '18446744073709551616' }, '/huge', /whole number/],
    [{ yes: 'true' }, '/yes', /true or false/],
    [{ data: 'no base64!' }, '/data', /base64/],
    [{ numbered: { x: 'a' } }, '/numbered/x', /whole number/],
    [{ switched: { yes: 'a' } }, '/switched/yes', /true or false/],
    [{ left_side: 'a', right_side: 1 }, '/right_side', /stands beside left_side/],
    [{ data: 1 }, '/data', /base64/],
    [{ colour: 'READ' }, '/colour', /one of act\.v1\.Everything\.Colour/],
    [{ inner: { name: 'a' } }, '/inner', /must be a list/],
    [{ inner: [{ nam: 'a' }] }, '/inner/0/nam', /has no field/],
    [{ inner: ['a'] }, '/inner/0', /must be an object/],
    [{ counts: [1] }, '/counts', /must be an object/],
    [{ counts: { a: 'x' } }, '/counts/a', /whole number/],
    [{ at: 'yesterday' }, '/at', /is no Timestamp/],
    [{ takes: 5 }, '/takes', /is no Duration/],
    [{ free: [] }, '/free', /is no Struct/],
  ])('%j is refused at %s', async (params, field, reason) => {
    const error = await failure(call(provider, params));
    expect(error).toMatchObject({
      data: { error_code: 'GLZ2010', field, reason: expect.stringMatching(reason) },
    });
  });

  it('says which methods there are', async () => {
    expect(await failure(call(provider, {}, { method: 'none' }))).toMatchObject({
      message: 'gRPC: act.v1.Act has no method Sames',
      data: { error_code: 'GLZ2010', hint: 'did you mean "Same"?' },
    });
    expect((await failure(call(provider, {}, { method: 'gather' }))).message).toMatch(
      /takes a stream of requests/,
    );
    expect((await failure(call(provider, {}, { method: 'nowhere' }))).message).toMatch(/act\.v2\.Act/);
  });
});
