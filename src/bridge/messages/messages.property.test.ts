import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correlationId } from '../../core/attempt-name.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { readAgentResult, writeOwnResult } from './agent-result.ts';
import { readAgentTask, writeAgentTask } from './agent-task.ts';
import { writeDeadLetter } from './dead-letter.ts';
import { readControl, readKept, readUpdates } from './news.ts';
import { readCancellationRequest, readExecutionRequest } from './requests.ts';
import { bytes, mirror, NOW, outgoingCall, providerNamed } from './testing.suite.ts';

const isTricky = (text: string) => text.includes('__proto__');
const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !isTricky(JSON.stringify(value)));
const members = fc.dictionary(
  fc.string().filter((key) => !isTricky(key)),
  json,
);
const id = fc.stringMatching(/^[a-z0-9-]{1,40}$/);
const name = fc.record({
  task_id: id,
  attempt: fc.integer({ min: 1, max: 1_000_000 }),
  generation: fc.integer({ min: 0, max: 1000 }),
});
const readers = [
  readAgentTask,
  (value: Uint8Array) => readAgentResult(value, mirror),
  readUpdates,
  readKept,
  readControl,
  readExecutionRequest,
  readCancellationRequest,
];

/** What JSON makes of it: -0 is 0 there. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('whatever stands in a message', () => {
  it('a task comes as it was written, and members that nobody knows change nothing', () => {
    const sending = { engine: 'e', now_ms: NOW, expires_at_ms: NOW };
    fc.assert(
      fc.property(name, members, members, (which, params, more) => {
        const call = outgoingCall({ ...which, params: params as JsonObject });
        const message = writeAgentTask(providerNamed('p'), call, sending);
        const read = readAgentTask(bytes(message));
        expect(read.input_data).toEqual(asJson(params));
        expect([read.ours?.name, read.correlation_id]).toEqual([which, correlationId(which)]);
        const known = JSON.parse(String(message.value)) as object;
        const extra = Object.entries(more).map(([key, value]) => [`x-${key}`, value]);
        const longer = JSON.stringify({ ...Object.fromEntries(extra), ...known });
        expect(readAgentTask(bytes(longer))).toEqual(read);
      }),
    );
  });

  it('a result comes as it was written, sealed or not', () => {
    fc.assert(
      fc.property(name, json, fc.boolean(), (which, value, secret) => {
        const result = JSON.stringify(value);
        const called = { protocol: 'a/v1', method: 'b', secrets: secret };
        const answer = { word: 'done', result } as const;
        const own = {
          name: which,
          run_id: 'r',
          provider: 'p',
          answer,
          took_ms: 1,
          called,
          now_ms: NOW,
          secret,
        };
        const read = readAgentResult(bytes(writeOwnResult(own, mirror)), mirror);
        expect(read.arrived).toEqual({ ...which, provider: 'p', answer, took_ms: 1, called });
      }),
    );
  });

  it('readers take it or say what is wrong, and every refusal can be written down', () => {
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .dictionary(
          fc.constantFrom('run_id', 'task_id', 'status', 'engine', 'answer', 'updates', 'kind', '__proto__'),
          fc.jsonValue(),
        )
        .map((value) => JSON.stringify(value)),
    );
    const anything = fc.oneof(fc.uint8Array(), text.map(bytes));
    fc.assert(
      fc.property(anything, (value) => {
        for (const read of readers) {
          try {
            read(value);
          } catch (error) {
            expect(error).toBeInstanceOf(GleitzeitError);
            const letter = writeDeadLetter({ topic: 't', key: 'k', place: 'p', value, error, now_ms: NOW });
            expect(JSON.parse(String(letter.value))).toMatchObject({ topic: 't' });
          }
        }
      }),
    );
  });
});
