import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { parseProtocol } from '../core/protocol.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { keepingLogger, type LogLine } from '../engine/testing/world.suite.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import { documentsOf, openShared } from './documents.suite.ts';
import { createProtocols } from './protocols.ts';
import { createStoredProtocols } from './stored-protocols.ts';

const protocol = (name: string, methods: object = { do: {} }, more: object = {}) => ({
  name,
  methods,
  ...more,
});

/** One program on the data, which brings protocols of its own. */
function program(data: SimulatedData, own: readonly object[] = []) {
  const time = new VirtualTime();
  const store = openShared(data);
  const protocols = createProtocols();
  for (const definition of own) protocols.register(parseProtocol(definition));
  const names = new Set(protocols.list().map(({ name }) => name));
  const log: LogLine[] = [];
  const trouble = { reads: 0 };
  const documents = documentsOf(store);
  const stored = createStoredProtocols({
    protocols,
    documents: {
      ...documents,
      reads: {
        ...documents.reads,
        documents: async (collection, page) => {
          if (trouble.reads-- > 0) throw new GleitzeitError('GLZ3001', 'the store is away');
          return documents.reads.documents(collection, page);
        },
      },
    },
    timers: time,
    logger: keepingLogger(log),
    isOwn: (name) => names.has(name),
  });
  store.onChange(({ documents: changed }) => {
    if (changed) stored.refresh();
  });
  const refused = (definition: object, options = {}) =>
    stored.register(definition, options).then(
      () => {
        throw new Error('it was not refused');
      },
      (thrown: GleitzeitError) => thrown,
    );
  return { store, protocols, stored, log, time, trouble, refused, names };
}

describe('a protocol that is registered while programs run', () => {
  it('is there after a restart', async () => {
    const data = new SimulatedData();
    const first = program(data);
    const answer = await first.stored.register(
      protocol('a/v1', { do: { params: { x: { type: 'string' } } } }),
    );
    expect(answer).toMatchObject({ name: 'a/v1', version: 'v1' });
    expect(first.protocols.has('a/v1')).toBe(true);
    const next = program(data);
    await next.stored.load();
    expect(next.stored.get('a/v1')).toEqual(first.stored.get('a/v1'));
    const call = { protocol: 'a/v1', method: 'do', params: { x: 7 }, stage: 'final' } as const;
    expect(() => next.protocols.checkParams(call)).toThrow('/params/x');
  });

  it('is taken up by the others', async () => {
    const data = new SimulatedData();
    const [first, second] = [program(data), program(data)];
    await first.stored.register(protocol('a/v1'));
    await second.time.settle();
    expect(second.stored.list().map(({ name }) => name)).toEqual(['a/v1']);
    await first.stored.register(protocol('a/v1', { other: {} }), { replace: true });
    await second.time.settle();
    expect(Object.keys(second.stored.get('a/v1')?.methods ?? {})).toEqual(['other']);
  });

  it('is taken up later where the store could not be read', async () => {
    const data = new SimulatedData();
    const [first, second] = [program(data), program(data)];
    second.trouble.reads = 2;
    await first.stored.register(protocol('a/v1'));
    await second.time.settle();
    expect(second.protocols.has('a/v1')).toBe(false);
    expect(second.log).toMatchObject([{ level: 'warn', fields: { error: 'the store is away' } }]);
    await second.time.advance(2100);
    expect(second.protocols.has('a/v1')).toBe(true);
  });

  it('is looked for no more once it is closed', async () => {
    const data = new SimulatedData();
    const [first, second] = [program(data), program(data)];
    second.trouble.reads = 1;
    await first.stored.register(protocol('a/v1'));
    await second.time.settle();
    second.stored.close();
    await second.time.advance(5000);
    expect(second.protocols.has('a/v1')).toBe(false);
  });

  it('replaces another only where that is said', async () => {
    const data = new SimulatedData();
    const { stored, refused } = program(data);
    await stored.register(protocol('a/v1'));
    expect(await stored.register(protocol('a/v1', { do: {} }))).toMatchObject({ name: 'a/v1' });
    expect([...data.documents.values()].map(({ version }) => version)).toEqual([1]);
    expect(await refused(protocol('a/v1', { other: {} }))).toMatchObject({
      code: 'GLZ1011',
      details: { field: '/name', hint: expect.stringContaining('replace') },
    });
    await stored.register(protocol('a/v1', { other: {} }), { replace: true });
    expect(Object.keys(stored.get('a/v1')?.methods ?? {})).toEqual(['other']);
  });

  it('is not replaced over what somebody else registered meanwhile', async () => {
    const data = new SimulatedData();
    const [first, second] = [program(data), program(data)];
    second.trouble.reads = 1;
    await first.stored.register(protocol('a/v1'));
    expect((await second.refused(protocol('a/v1', { other: {} }), { replace: true })).code).toBe('GLZ1013');
    await second.time.advance(1100);
    await second.stored.register(protocol('a/v1', { other: {} }), { replace: true });
    await first.time.settle();
    expect(Object.keys(first.stored.get('a/v1')?.methods ?? {})).toEqual(['other']);
  });

  it('does not take the place of what a program brings itself', async () => {
    const data = new SimulatedData();
    const plain = program(data);
    await plain.stored.register(protocol('a/v1', { stored: {} }));
    const own = program(data, [protocol('a/v1', { own: {} })]);
    await own.stored.load();
    expect(Object.keys(own.stored.get('a/v1')?.methods ?? {})).toEqual(['own']);
    expect((await own.refused(protocol('a/v1', { third: {} }), { replace: true })).code).toBe('GLZ1011');
    const alone = program(new SimulatedData(), [protocol('b/v1')]);
    expect(await alone.stored.register(protocol('b/v1'))).toMatchObject({ name: 'b/v1' });
  });

  it('has the methods of what it extends, in whatever order they are read', async () => {
    const data = new SimulatedData();
    const first = program(data);
    await first.stored.register(protocol('z/v1', { base: {} }));
    const whole = await first.stored.register(protocol('a/v1', { more: {} }, { extends: 'z/v1' }));
    expect(Object.keys(whole.methods)).toEqual(['base', 'more']);
    const next = program(data);
    await next.stored.load();
    expect(next.stored.get('a/v1')).toEqual(whole);
    await first.stored.register(protocol('z/v1', { changed: {} }), { replace: true });
    expect(Object.keys(first.stored.get('a/v1')?.methods ?? {})).toEqual(['changed', 'more']);
  });

  it('is refused where what it extends leads back to it', async () => {
    const data = new SimulatedData();
    const { stored, refused } = program(data, [protocol('own/v1', { do: {} }, { extends: 'a/v1' })]);
    await stored.register(protocol('a/v1'));
    expect((await refused(protocol('b/v1', {}, { extends: 'b/v1' }))).code).toBe('GLZ1008');
    const { code, message } = await refused(protocol('a/v1', {}, { extends: 'own/v1' }), { replace: true });
    expect([code, message]).toEqual(['GLZ1008', expect.stringContaining('a/v1 → own/v1 → a/v1')]);
  });

  it('is refused before anybody hears of it', async () => {
    const data = new SimulatedData();
    const { stored, refused } = program(data);
    const broken = protocol('a/v1', { do: { params: { x: { type: 'nonsense' } } } });
    expect((await refused(broken)).code).toBe('GLZ1008');
    expect((await refused({ name: 'a' })).code).toBe('GLZ1008');
    expect([stored.list(), data.documents.size]).toEqual([[], 0]);
  });

  it('counts again when the program brings none of its name any more', async () => {
    const data = new SimulatedData();
    await program(data).stored.register(protocol('a/v1', { stored: {} }));
    const { stored, names } = program(data, [protocol('a/v1', { own: {} }), protocol('b/v1')]);
    await stored.load();
    expect(Object.keys(stored.get('a/v1')?.methods ?? {})).toEqual(['own']);
    names.clear();
    expect([stored.reinstate('a/v1'), stored.reinstate('b/v1')]).toEqual([true, false]);
    expect(Object.keys(stored.get('a/v1')?.methods ?? {})).toEqual(['stored']);
  });

  it('that cannot be read is passed over', async () => {
    const data = new SimulatedData();
    const { store, stored, log } = program(data);
    await documentsOf(store).put({ collection: 'protocol', key: 'a/v1', text: '{}', expect: null });
    await stored.register(protocol('b/v1'));
    await stored.load();
    expect(stored.list().map(({ name }) => name)).toEqual(['b/v1']);
    expect(log).toMatchObject([{ level: 'error', fields: { protocol: 'a/v1' } }]);
  });
});
