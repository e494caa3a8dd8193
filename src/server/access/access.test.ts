import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../engine/testing/world.suite.ts';
import type { HttpRequest } from '../../rpc/listener/route.ts';
import { authenticator } from './access.ts';
import { createKey, hashKey } from './keys.ts';
import { Tickets } from './tickets.ts';

const random = seededRandom(1);
const viewer = createKey('grafana', 'viewer', random);
const admin = createKey('ops.eu-1', 'admin', random);
const entries = [viewer.entry, admin.entry];

function setUp() {
  let now = 1000;
  const clock = { wall: () => 1_700_000_000_000 + now, monotonic: () => now };
  const tickets = new Tickets({ clock, random: seededRandom(2) });
  const pass = (ms: number) => {
    now += ms;
  };
  return { tickets, pass, authenticate: authenticator(() => entries, tickets) };
}

function request(given: { authorization?: string; query?: string; method?: string }): HttpRequest {
  const { authorization, query = '', method = 'GET' } = given;
  const headers = authorization === undefined ? {} : { authorization };
  return { method, path: '/rpc', query: new URLSearchParams(query), headers, address: '127.0.0.1' };
}

describe('keys', () => {
  it('are shown once: the configuration has name, role and hash', () => {
    expect(viewer.key).toMatch(/^glz_grafana_[\w-]{43}$/);
    expect(viewer.entry).toEqual({ name: 'grafana', role: 'viewer', hash: hashKey(viewer.key) });
    expect(JSON.stringify(viewer.entry)).not.toContain(viewer.key.slice(12));
  });

  it('tell who asks', () => {
    const { authenticate } = setUp();
    expect(authenticate?.(request({ authorization: `Bearer ${viewer.key}` }))).toEqual({
      name: 'grafana',
      role: 'viewer',
    });
    expect(authenticate?.(request({ authorization: `bearer  ${admin.key}` }))).toMatchObject({
      role: 'admin',
    });
  });

  it.each([
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: `Basic ${viewer.key}` },
    { authorization: viewer.key },
    { authorization: `Bearer ${viewer.key}x` },
    { authorization: `Bearer ${viewer.key} ${admin.key}` },
    { authorization: `Bearer ${viewer.entry.hash}` },
    { authorization: `Bearer ${'x'.repeat(100_000)}` },
    { query: 'ticket=glzt_none' },
    { query: `ticket=${viewer.key}` },
    { query: `key=${viewer.key}` },
  ])('that nobody has are nobody: %j', (given) => {
    expect(setUp().authenticate?.(request(given))).toBeNull();
  });

  it('are not asked for where none is configured', () => {
    expect(authenticator(() => [], setUp().tickets)).toBeUndefined();
  });

  it.each(['', '-a', 'a b', 'a_b', 'x'.repeat(65)])('are not given the name %j', (name) => {
    expect(() => createKey(name, 'viewer', random)).toThrow(expect.objectContaining({ code: 'GLZ1012' }));
  });

  it('whose hash is none are refused at the start', () => {
    const entry = { ...viewer.entry, hash: viewer.key };
    expect(() => authenticator(() => [entry], setUp().tickets)).toThrow(/no SHA-256/);
    expect(() => authenticator(() => [entry], setUp().tickets)).not.toThrow(viewer.key);
  });
});

describe('tickets', () => {
  const caller = { name: 'grafana', role: 'viewer' } as const;

  it('stand for a key once', () => {
    const { tickets, authenticate } = setUp();
    const { ticket, expires_at } = tickets.issue(caller);
    expect(expires_at).toBe(1_700_000_031_000);
    expect(authenticate?.(request({ query: `ticket=${ticket}` }))).toEqual(caller);
    expect(authenticate?.(request({ query: `ticket=${ticket}` }))).toBeNull();
  });

  it('are for what a browser opens, not for calls', () => {
    const { tickets, authenticate } = setUp();
    const { ticket } = tickets.issue(caller);
    expect(authenticate?.(request({ query: `ticket=${ticket}`, method: 'POST' }))).toBeNull();
    expect(tickets.redeem(ticket)).toEqual(caller);
  });

  it('run out', () => {
    const { tickets, pass } = setUp();
    const { ticket } = tickets.issue(caller);
    pass(30_000);
    expect(tickets.redeem(ticket)).toBeNull();
    const { ticket: next } = tickets.issue(caller);
    pass(29_999);
    expect(tickets.redeem(next)).toEqual(caller);
  });

  it('are bounded for each caller, the oldest giving way', () => {
    const { tickets } = setUp();
    const other = tickets.issue({ name: 'other', role: 'admin' });
    const issued = Array.from({ length: 200 }, () => tickets.issue(caller).ticket);
    const good = issued.filter((ticket) => tickets.redeem(ticket) !== null);
    expect(good).toEqual(issued.slice(-64));
    expect(tickets.redeem(other.ticket)).toMatchObject({ name: 'other' });
  });
});
