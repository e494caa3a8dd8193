import { type AttemptName, correlationId } from '../../core/attempt-name.ts';
import type { Json } from '../../core/json.ts';
import type { ArrivedKept, ArrivedNews } from '../../core/ports/dispatch.ts';
import type { Progress } from '../../core/ports/provider.ts';
import { Type } from '../../type.ts';
import type { Message } from '../broker.ts';
import { type Reader, readerOf } from './read.ts';
import {
  Anything,
  attemptMembers,
  attemptName,
  Milliseconds,
  Name,
  OptionalName,
  writtenName,
} from './shapes.ts';
import { writeTime } from './time.ts';

/** Nice to know of one attempt: may be lost, late, or told twice. */
export type Update = AttemptName & {
  readonly kind: 'started' | 'progress' | 'input_required' | 'ended';
  readonly bridge: string;
  readonly progress?: Progress | undefined;
  /** How long ago it happened when it was told. */
  readonly ago_ms?: number | undefined;
  /** Wall time at the bridge, for people. */
  readonly at_ms: number;
};

const ProgressShape = Type.Object({
  progress: Type.Optional(Type.Number()),
  total: Type.Optional(Type.Number()),
  message: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
});

const Updates = Type.Object({
  engine: Name,
  updates: Type.Array(
    Type.Object({
      ...attemptMembers,
      kind: Type.String(),
      bridge: Type.Optional(Name),
      progress: Type.Optional(ProgressShape),
      ago_ms: Type.Optional(Milliseconds),
    }),
    { maxItems: 10_000 },
  ),
});

const readAll = readerOf('update', Updates);

/** What an engine makes of them. Kinds that it does not know, and those that it hears of elsewhere, are left out. */
export const readUpdates: Reader<{ readonly engine: string; readonly news: readonly ArrivedNews[] }> = (
  bytes,
) => {
  const { engine, updates } = readAll(bytes);
  const news = updates.flatMap((update): ArrivedNews[] => {
    const name = attemptName(update);
    if (update.kind === 'started') return [{ ...name, kind: 'started', ago_ms: update.ago_ms ?? 0 }];
    if (update.kind === 'ended') return [{ ...name, kind: 'ended' }];
    const { progress } = update;
    return update.kind === 'progress' && progress !== undefined
      ? [{ ...name, kind: 'progress', progress }]
      : [];
  });
  return { engine, news };
};

/** So many are told in one message at most. */
const MOST_TOGETHER = 1000;

/** All that is told to one engine at a time, in messages of `most_bytes` at most. What is larger by itself is left out. */
export function writeUpdates(engine: string, updates: readonly Update[], most_bytes: number): Message[] {
  const [head, tail] = [`{"engine":${JSON.stringify(engine)},"updates":[`, ']}'];
  const room = most_bytes - Buffer.byteLength(engine) - Buffer.byteLength(head) - tail.length;
  const parts: string[][] = [];
  let [part, left] = [[] as string[], 0];
  for (const text of updates.map(updateText)) {
    const size = Buffer.byteLength(text) + 1;
    if (size > room) continue;
    if (size > left || part.length === MOST_TOGETHER) {
      [part, left] = [[], room];
      parts.push(part);
    }
    part.push(text);
    left -= size;
  }
  return parts.map((texts) => ({ key: engine, value: head + texts.join(',') + tail }));
}

function updateText({ kind, bridge, progress, ago_ms, at_ms, ...name }: Update): string {
  return JSON.stringify({
    ...writtenName(name),
    ...{ kind, bridge, progress, ago_ms },
    at: writeTime(at_ms),
  });
}

const Kept = Type.Object({ ...attemptMembers, provider: OptionalName, kept: Anything });
const readKeptMessage = readerOf('kept', Kept);

/** What a running call keeps for the next attempt: work, not news, since the next attempt counts on it. */
export const readKept: Reader<ArrivedKept> = (bytes) => {
  const read = readKeptMessage(bytes);
  return { ...attemptName(read), provider: read.provider ?? null, kept: read.kept };
};

export function writeKept({ provider, kept, ...name }: ArrivedKept, now_ms: number): Message {
  const written = { ...writtenName(name), provider, kept, timestamp: writeTime(now_ms) };
  return { key: correlationId(name), value: JSON.stringify(written) };
}

/** What all bridges are told: nobody waits for this call any more. */
export type Control = AttemptName & { readonly kind: 'cancel'; readonly reason: string | null };

const ControlShape = Type.Object({
  ...attemptMembers,
  kind: Type.Literal('cancel'),
  reason: Type.Optional(Type.Union([Type.String({ maxLength: 4096 }), Type.Null()])),
});
const readControlMessage = readerOf('control', ControlShape);

export const readControl: Reader<Control> = (bytes) => {
  const read = readControlMessage(bytes);
  return { ...attemptName(read), kind: 'cancel', reason: read.reason ?? null };
};

export function writeControl({ kind, reason, ...name }: Control): Message {
  const correlation_id = correlationId(name);
  const told: Json = { kind, correlation_id, ...writtenName(name), ...(reason === null ? {} : { reason }) };
  return { key: correlation_id, value: JSON.stringify(told) };
}
