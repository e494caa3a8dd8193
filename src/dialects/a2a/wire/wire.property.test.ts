import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { translationTrouble } from '../../agent/translation-error.ts';
import { readEnvelope } from './answers.ts';
import { assembled } from './assemble.ts';
import { readCard } from './card.ts';
import { readMessage, writeMessage } from './messages.ts';
import { type Said, type WireVersion, wireVersions } from './model.ts';
import { readSaid } from './said.ts';
import { message, said } from './testing/arbitrary.suite.ts';
import { writeSaid } from './testing/write.suite.ts';
import { judgeMessage, judgeTask } from './verdict.ts';

const version = fc.constantFrom<WireVersion>(...wireVersions);

function overTheWire(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** The spelling of the state is the wire's. */
function spelled(one: Said): Said {
  if (one.is === 'task')
    return { ...one, task: { ...one.task, status: { ...one.task.status, said: one.task.status.state } } };
  return one.is === 'status' ? { ...one, status: { ...one.status, said: one.status.state } } : one;
}

describe('both versions of A2A', () => {
  it('say the same of everything an agent can say', () => {
    fc.assert(
      fc.property(said, (one) => {
        for (const wire of wireVersions) {
          const odd: string[] = [];
          expect(spelled(readSaid(overTheWire(writeSaid(one, wire)), odd))).toEqual(one);
          expect(odd).toEqual([]);
        }
      }),
    );
  });

  it('turn into each other and back', () => {
    fc.assert(
      fc.property(said, version, (one, from) => {
        const to = from === '0.3' ? '1.0' : '0.3';
        const there = readSaid(overTheWire(writeSaid(one, from)), []);
        const back = readSaid(overTheWire(writeSaid(there, to)), []);
        expect(writeSaid(back, from)).toEqual(writeSaid(one, from));
      }),
    );
  });

  it('say the same to an agent', () => {
    fc.assert(
      fc.property(message, version, (one, wire) => {
        const written = overTheWire(writeMessage(one, wire));
        expect(readMessage(written as never, [])).toEqual(one);
      }),
    );
  });
});

/** What looks like something an agent says, with anything in any place of it. */
const nearly = fc.oneof(
  fc.jsonValue(),
  said.chain((one) => version.chain((wire) => spoiled(overTheWire(writeSaid(one, wire))))),
);

/** Any one member, however deep, replaced by anything. */
function spoiled(value: Json): fc.Arbitrary<Json> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return fc.jsonValue() as fc.Arbitrary<Json>;
  return fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<Json> },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(...Object.keys(value))
        .chain((key) =>
          spoiled((value as Record<string, Json>)[key] ?? null).map((member) =>
            Array.isArray(value) ? value.with(Number(key), member) : { ...value, [key]: member },
          ),
        ),
    },
  );
}

function onlyTranslationErrors(read: () => unknown): void {
  try {
    read();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GleitzeitError);
    const error = GleitzeitError.from(thrown);
    expect(translationTrouble(error)).not.toBeNull();
    expect(JSON.stringify(error.toRecord()).length).toBeLessThan(16 * 1024);
  }
}

describe('readers', () => {
  it('throw nothing but errors of translation, whatever an agent says', () => {
    fc.assert(
      fc.property(nearly, (value) => {
        onlyTranslationErrors(() => {
          const odd: string[] = [];
          const one = readSaid(value as Json, odd);
          const judged = { raw: value as Json, structured: false, odd };
          if (one.is === 'message') return judgeMessage(one.message, judged);
          return judgeTask(assembled(null, one), judged);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('throw nothing else for envelopes and cards either', () => {
    const envelope = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.oneof(fc.constant('t1'), fc.jsonValue()),
        result: fc.jsonValue(),
        error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const card = fc.dictionary(
      fc.constantFrom(
        'name',
        'url',
        'protocolVersion',
        'supportedInterfaces',
        'capabilities',
        'skills',
        'security',
      ),
      fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ url: fc.jsonValue(), id: fc.jsonValue(), uri: fc.jsonValue() })),
      ),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), envelope, card), (value) => {
        onlyTranslationErrors(() => readEnvelope(overTheWire(value), 't1'));
        onlyTranslationErrors(() => readCard(overTheWire(value)));
      }),
      { numRuns: 500 },
    );
  });
});
