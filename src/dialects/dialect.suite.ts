import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { classOf, GleitzeitError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { MAX_PAYLOAD } from '../core/limits.ts';
import type { Probed, Provider } from '../core/ports/provider.ts';
import { BUSY_MS, type Direction } from './testing/actor.suite.ts';

/** A dialect over a carrier: a real service that follows the directions of the suite, and how to reach it. */
export type Stage = {
  /** A provider that speaks to the service, new each time. */
  open(): Provider;
  /** One that speaks to a place where nobody is. */
  openNowhere(): Provider;
  /** One that a question how it is finds dead, where that is another. */
  openDead?(): Provider;
  stop(): Promise<void>;
};

export type Wishes = {
  /** Answers have connections and content types of their own, and the peer knows `actOverHttp`. */
  readonly over_http?: boolean;
  /** How many calls are made at once; 300, but for those that each start a program of their own. */
  readonly many?: number;
  /** What is called is never told the id of the call. */
  readonly nameless?: boolean;
  /** Errors say more than the words of the service: its code, for one. */
  readonly more_words?: boolean;
};

export type CallOptions = {
  readonly call_id?: string;
  readonly signal?: AbortSignal;
  readonly traceparent?: string;
};

let calls = 0;

export function direct(provider: Provider, direction: Direction, options: CallOptions = {}): Promise<Answer> {
  const call_id = options.call_id ?? `call-${++calls}`;
  return provider.call({
    method: 'act',
    params: direction as unknown as JsonObject,
    call_id,
    task_id: call_id,
    workflow_id: null,
    attempt: 1,
    signal: options.signal ?? AbortSignal.timeout(20_000),
    traceparent: options.traceparent,
  });
}

function resultOf(answer: Answer): Json {
  if (answer.word !== 'done') throw new Error(`not done: ${JSON.stringify(answer)}`);
  return JSON.parse(answer.result) as Json;
}

function errorOf(answer: Answer) {
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer).slice(0, 200)}`);
  return { ...answer.error, class: classOf(answer.error) };
}

/** As routers ask it: what it rejects with is why it is not well. */
async function probed(provider: Provider, signal: AbortSignal): Promise<Probed> {
  if (provider.probe === undefined) throw new Error('it cannot be asked how it is');
  expect(provider.probe.asked).not.toBe('');
  try {
    return await provider.probe.ask(signal);
  } catch (thrown) {
    return { well: false, error: GleitzeitError.from(thrown).toRecord() };
  }
}

/** Waits until a call is in the hands of the service: one that is not there yet cannot be released. */
async function release(provider: Provider, key: string): Promise<void> {
  while (resultOf(await direct(provider, { do: 'release', key })) === false);
}

/** What every dialect must do, whatever carries it. */
export function dialectSuite(name: string, start: () => Promise<Stage>, wishes: Wishes = {}): void {
  describe(`the dialect ${name}`, () => {
    let stage: Stage;
    let provider: Provider;

    beforeAll(async () => {
      stage = await start();
      provider = stage.open();
    });

    afterAll(async () => {
      await provider.close?.();
      await stage.stop();
    });

    it('hands results on as the text of what the service said', async () => {
      const values: Json[] = [null, 0, -1.5, '', 'ü→😀\n"\\', [], {}, [1, [2]], { a: { b: [true, null] } }];
      for (const value of [...values, JSON.parse('{"__proto__":{"x":1}}') as Json])
        expect(await direct(provider, { do: 'echo', value })).toEqual({
          word: 'done',
          result: JSON.stringify(value),
        });
    });

    it('answers many calls at once, each with its own result', async () => {
      const numbers = Array.from({ length: wishes.many ?? 300 }, (_, n) => n);
      const answers = await Promise.all(numbers.map((value) => direct(provider, { do: 'echo', value })));
      expect(answers.map(resultOf)).toEqual(numbers);
    });

    it('tells errors that are final from those that may pass', async () => {
      const said = (words: string) => (wishes.more_words === true ? expect.stringContaining(words) : words);
      const final = await direct(provider, { do: 'fail', how: 'final', message: 'wrong from the start' });
      expect(errorOf(final)).toMatchObject({ class: 'rejected', message: said('wrong from the start') });
      const passing = await direct(provider, { do: 'fail', how: 'passing', message: 'trouble of my own' });
      expect(errorOf(passing)).toMatchObject({ class: 'server', message: said('trouble of my own') });
    });

    it('keeps how long the service asks to be left alone', async () => {
      const { class: kind, data } = errorOf(await direct(provider, { do: 'busy' }));
      expect(data.retry_after_ms).toBe(BUSY_MS);
      expect(['rate_limit', 'server']).toContain(kind);
    });

    it('says that nobody is there, and may be asked again', async () => {
      const nowhere = stage.openNowhere();
      expect(errorOf(await direct(nowhere, { do: 'echo', value: 1 })).class).toBe('transport');
      await nowhere.close?.();
    });

    it('says that the connection broke, and goes on with the next call', async () => {
      expect(errorOf(await direct(provider, { do: 'cut' })).class).toBe('transport');
      expect(resultOf(await direct(provider, { do: 'echo', value: 'still here' }))).toBe('still here');
    });

    it('does not take garbage for an answer', async () => {
      expect(errorOf(await direct(provider, { do: 'garbage' }))).toMatchObject({
        class: 'rejected',
        data: { error_code: 'GLZ2005', fault: 'provider' },
      });
      expect(resultOf(await direct(provider, { do: 'echo', value: 1 }))).toBe(1);
    });

    it('waits for a slow answer while others pass it', async () => {
      const slow = direct(provider, { do: 'hold', key: 'slow' });
      expect(resultOf(await direct(provider, { do: 'echo', value: 'quick' }))).toBe('quick');
      await release(provider, 'slow');
      expect(resultOf(await slow)).toBe('released');
    });

    it('finds its service well without giving it work, also while calls run', async () => {
      const seen = () => direct(provider, { do: 'seen' }).then(resultOf);
      const before = await seen();
      const end = new AbortController();
      const asked = await probed(provider, end.signal);
      expect(asked).toMatchObject({ well: true });
      expect(asked.error?.data.details ?? null).toBeNull();
      expect(await seen()).toEqual(before);
      expect(getEventListeners(end.signal, 'abort')).toEqual([]);
      const running = direct(provider, { do: 'hold', key: 'asked-meanwhile' });
      expect(await probed(provider, end.signal)).toMatchObject({ well: true });
      await release(provider, 'asked-meanwhile');
      expect(resultOf(await running)).toBe('released');
    });

    it('finds nobody well where nobody is', async () => {
      const dead = stage.openDead?.() ?? stage.openNowhere();
      const { well, error } = await probed(dead, AbortSignal.timeout(10_000));
      expect([well, error === null ? null : classOf(error)]).toEqual([false, 'transport']);
      await dead.close?.();
    });

    it('ends a call with the reason of its signal, and is as good as before', async () => {
      const reasons = [
        new GleitzeitError('GLZ2003', 'no answer within 30 s'),
        new GleitzeitError('GLZ2009', 'the task was cancelled'),
      ];
      for (const reason of reasons) {
        const end = new AbortController();
        const unanswered = direct(provider, { do: 'silence' }, { signal: end.signal });
        await direct(provider, { do: 'echo', value: 1 });
        end.abort(reason);
        expect(errorOf(await unanswered).data.error_code).toBe(reason.code);
      }
      expect(resultOf(await direct(provider, { do: 'echo', value: 2 }))).toBe(2);
    });

    it('does not make a call whose end has come before it began', async () => {
      const end = new AbortController();
      end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
      const call_id = 'ended-before';
      const never = await direct(provider, { do: 'echo', value: 1 }, { signal: end.signal, call_id });
      expect(errorOf(never).data.error_code).toBe('GLZ2009');
      const seen = resultOf(await direct(provider, { do: 'seen' })) as readonly JsonObject[];
      expect(seen.filter(({ id }) => id === call_id)).toEqual([]);
    });

    it('refuses an answer that is too large, and goes on', async () => {
      const huge = await direct(provider, { do: 'huge', characters: MAX_PAYLOAD + 1024 * 1024 });
      expect(errorOf(huge)).toMatchObject({ class: 'rejected', data: { error_code: 'GLZ2005' } });
      const large = await direct(provider, { do: 'huge', characters: MAX_PAYLOAD - 1024 });
      expect(String(resultOf(large))).toHaveLength(MAX_PAYLOAD - 1024);
    });

    it.runIf(wishes.over_http)('does not take a page for people for an answer', async () => {
      const page = await direct(provider, { do: 'page' });
      expect(errorOf(page)).toMatchObject({ class: 'rejected', data: { error_code: 'GLZ2005' } });
    });

    it.runIf(wishes.over_http)(
      'neither waits for the rest of an answer for ever nor takes half of one',
      async () => {
        const end = new AbortController();
        const half = direct(provider, { do: 'half' }, { signal: end.signal });
        await direct(provider, { do: 'echo', value: 1 });
        end.abort(new GleitzeitError('GLZ2003', 'no answer within 30 s'));
        expect(errorOf(await half).data.error_code).toBe('GLZ2003');
        expect(errorOf(await direct(provider, { do: 'half_cut' })).class).toBe('transport');
        expect(resultOf(await direct(provider, { do: 'echo', value: 2 }))).toBe(2);
      },
    );

    it.runIf(wishes.nameless !== true)('names a call the same each time it is tried', async () => {
      const call_id = '01980000-0000-7000-8000-000000000000';
      await direct(provider, { do: 'fail', how: 'passing', message: 'first' }, { call_id });
      await direct(provider, { do: 'cut' }, { call_id });
      await direct(provider, { do: 'echo', value: 3 }, { call_id });
      const seen = resultOf(await direct(provider, { do: 'seen' })) as readonly JsonObject[];
      // A service that was started anew after the cut knows only what came since.
      const ids = seen.map(({ id }) => id).filter((id) => id === call_id);
      expect(ids.length).toBeGreaterThanOrEqual(1);
      expect(seen.at(-1)).toMatchObject({ id: call_id });
    });

    it('answers calls that run when it is closed, and none after that', async () => {
      const closing = stage.open();
      const running = [1, 2, 3].map(() => direct(closing, { do: 'silence' }));
      await direct(closing, { do: 'echo', value: 'all are under way' });
      await closing.close?.();
      for (const answer of await Promise.all(running))
        expect(['transport', 'interrupted']).toContain(errorOf(answer).class);
      expect(errorOf(await direct(closing, { do: 'echo', value: 1 })).class).toBe('transport');
      await closing.close?.();
    });
  });
}
