import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { Drains } from '../router/drains.ts';
import { KeptOpenings } from '../router/openings.ts';
import type { SharedState } from '../router/shared-state.ts';
import { forgetProviders } from './peace.ts';

/** A store on which this configuration names `mine`, and `theirs` is drained and has failed too. */
async function world(engines: () => Promise<readonly string[]>) {
  const time = new VirtualTime();
  const documents = new Map<string, { text: string; version: number }>();
  const state: SharedState = {
    read: async (name) => documents.get(name) ?? null,
    write: async (name, text, expected) => {
      const version = documents.get(name)?.version ?? 0;
      if (version !== expected) throw new GleitzeitError('GLZ1013', 'another version');
      documents.set(name, { text, version: version + 1 });
      return { text, version: version + 1 };
    },
  };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const openings = new KeptOpenings({ state, clock: time, logger });
  const drains = new Drains({ state, timers: time, logger, apply: () => {} });
  for (const id of ['mine', 'theirs', 'agent:Theirs']) {
    openings.opened(id, 'm', { until: 60_000, opened: 1 });
    await drains.add(id);
  }
  await openings.settled();
  const forget = async (exclusive = false) => {
    const config = { protocols: [{ providers: [{ id: 'mine' }] }] };
    const known = { store: { reads: { engines } }, exclusive, config, agents: { list: () => [] } };
    await forgetProviders({ drains, openings }, known);
    await openings.settled();
    const failed = ['mine', 'theirs', 'agent:Theirs'].filter((id) => openings.of(id).size > 0);
    const drained: string[] = [];
    const reader = new Drains({ state, timers: time, logger, apply: (ids) => drained.push(...ids) });
    await reader.look();
    return { failed, drained: drained.sort() };
  };
  return { forget };
}

const all = { failed: ['mine', 'theirs', 'agent:Theirs'], drained: ['agent:Theirs', 'mine', 'theirs'] };
const own = { failed: ['mine'], drained: ['mine'] };

describe('what is kept of providers that a configuration does not name', () => {
  it('is kept while another engine, which may have them, is at work on the store', async () => {
    const { forget } = await world(async () => ['one', 'another']);
    expect(await forget()).toEqual(all);
  });

  it('is forgotten by one that is alone', async () => {
    expect(await (await world(async () => ['one'])).forget()).toEqual(own);
    const never = async () => Promise.reject(new Error('nobody asks'));
    expect(await (await world(never)).forget(true)).toEqual(own);
  });

  it('is kept where the store is away, and nobody knows', async () => {
    const away = async () => Promise.reject(new GleitzeitError('GLZ3001', 'away'));
    expect(await (await world(away)).forget()).toEqual(all);
  });
});
