import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Progress } from '../../src/core/ports/provider.ts';
import {
  call,
  cancelled,
  closeAll,
  failure,
  open,
  result,
  waiting,
} from '../../src/dialects/a2a/testing/agent.suite.ts';
import { systemTimers } from '../../src/embedded/system.ts';
import { type RealAgent, startPython, startSdk1, startSdk03 } from './real.ts';

afterEach(closeAll);

type Peer = readonly [name: string, start: () => Promise<RealAgent>, config: JsonObject, version: string];

const peers: readonly Peer[] = [
  ['the SDK for JavaScript 0.3', startSdk03, {}, '0.3'],
  ['the SDK for JavaScript 1.x', startSdk1, {}, '1.0'],
  ['the SDK for JavaScript 1.x that speaks both', () => startSdk1('both'), {}, '1.0'],
  ['the SDK for JavaScript 1.x, spoken to in 0.3', () => startSdk1('both'), { a2a_version: '0.3' }, '0.3'],
  ['the SDK for Python', startPython, {}, '1.0'],
  ['the SDK for Python, spoken to in 0.3', startPython, { a2a_version: '0.3' }, '0.3'],
];

describe.each(peers)('an agent of %s', (_, start, config, version) => {
  let agent: RealAgent;
  beforeAll(async () => {
    agent = await start();
  });
  afterAll(() => agent.end('SIGKILL'));

  const opened = (more: JsonObject = {}) => open(agent.url, { ...config, ...more }, { timers: systemTimers });

  it('answers as a stream, and tells how it gets on', async () => {
    const told: Progress[] = [];
    const kept: Json[] = [];
    const keep = async (value: Json) => {
      kept.push(value);
      return true;
    };
    const answer = await result(call(opened(), { text: 'hello' }, { report: (one) => told.push(one), keep }));
    expect(answer).toMatchObject({ text: 'HELLO', response: 'on it' });
    expect(told.flatMap(({ text }) => text ?? []).join('')).toBe('HELLO');
    expect(told).toContainEqual({ message: 'on it' });
    expect(kept[0]).toMatchObject({ a2a: version, task_id: expect.stringMatching(/.+/) });
  });

  it('answers in one piece', async () => {
    const { text, artifacts } = await result(call(opened({ stream: false }), { text: 'hello' }));
    expect(String(text).replaceAll('\n', '')).toBe('HELLO');
    expect(artifacts).toHaveLength(1);
  });

  it('answers without waiting, and is asked until it is done', async () => {
    const provider = opened({ stream: false, blocking: false, poll_interval: '20ms' });
    const { text } = await result(call(provider, { text: 'hello' }));
    expect(String(text).replaceAll('\n', '')).toBe('HELLO');
  });

  it('answers with a message alone', async () => {
    expect(await result(call(opened(), { text: 'say good day' }))).toMatchObject({ text: 'good day' });
    expect(await result(call(opened({ stream: false }), { text: 'say good day' }))).toMatchObject({
      text: 'good day',
    });
  });

  it('asks, and goes on with the answer, given by another engine', async () => {
    for (const stream of [true, false]) {
      const call_id = crypto.randomUUID();
      const { kind, ask, kept } = await waiting(call(opened({ stream }), { text: 'ask' }, { call_id }));
      expect([kind, ask]).toEqual(['input', expect.objectContaining({ text: 'which city?' })]);
      const next = call(opened({ stream }), { text: 'ask' }, { call_id, kept, response: 'Bonn' });
      expect(String((await result(next))['text']).replaceAll('\n', '')).toBe('city: Bonn');
    }
  });

  it('is told when nobody wants its work any more', async () => {
    const end = new AbortController();
    const kept: Json[] = [];
    const keep = async (value: Json) => {
      kept.push(value);
      return true;
    };
    const report = ({ message }: Progress) => {
      if (message === 'on it') end.abort(cancelled);
    };
    const provider = opened();
    await failure(call(provider, { text: 'wait' }, { signal: end.signal, report, keep }));
    await provider.close?.();
    const seen = await failure(call(opened(), { text: 'wait' }, { kept: kept[0] }));
    expect(seen).toMatchObject({
      message: expect.stringMatching(/Task state: .*cancell?ed/i),
      data: { error_code: 'GLZ2010' },
    });
  });

  it('is found again in the middle of its work', async () => {
    const end = new AbortController();
    const kept = Promise.withResolvers<Json>();
    const keep = async (value: Json) => {
      kept.resolve(value);
      return true;
    };
    const first = call(opened(), { text: 'wait' }, { signal: end.signal, keep });
    const known = await kept.promise;
    end.abort(new GleitzeitError('GLZ9002', 'the engine stops'));
    await first;
    const second = call(opened(), { text: 'wait' }, { kept: known });
    // Whoever else knows of the task can end it, also before having seen it.
    const third = opened();
    const canceller = new AbortController();
    const ending = call(third, { text: 'wait' }, { kept: known, signal: canceller.signal });
    canceller.abort(cancelled);
    await ending;
    await third.close?.();
    expect((await failure(second)).message).toMatch(/Task state: .*cancell?ed/i);
  });

  it('fails in its own words', async () => {
    const { message, data } = await failure(call(opened(), { text: 'fail' }));
    expect([message, data.reason, data.error_code]).toEqual([
      expect.stringMatching(/^Task state: .*failed$/i),
      'it broke',
      'GLZ2010',
    ]);
  });
});

describe('a card that lies', () => {
  it('says 1.0 while 0.3 is spoken', async () => {
    const agent = await startSdk03('1.0');
    try {
      expect(await result(call(open(agent.url), { text: 'hello' }))).toMatchObject({ text: 'HELLO' });
    } finally {
      await agent.end('SIGKILL');
    }
  });

  it('says 0.3 while 1.0 is spoken', async () => {
    const agent = await startSdk1('1.0', '0.3');
    try {
      expect(await result(call(open(agent.url), { text: 'hello' }))).toMatchObject({ text: 'HELLO' });
    } finally {
      await agent.end('SIGKILL');
    }
  });
});
