import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { textIn } from '../../core/members.ts';
import { type WireVersion, wireVersions } from './wire/model.ts';

/** What is known of a conversation that goes on in another attempt: enough to find it again, and nothing of what was said. */
export type Kept = {
  readonly version: WireVersion;
  /** The agent's own id for its task. */
  readonly task_id: string;
  readonly context_id: string | null;
  /** Whom it waits for; null while the agent works and somebody watches. */
  readonly waits: 'input' | 'auth' | 'notification' | null;
  /** How many answers it has been given: each is a message of its own. */
  readonly answers: number;
  /** How often it was looked at while it waits, and found to wait still. */
  readonly looks: number;
  /** How often in a row the agent could not be asked. */
  readonly troubles: number;
};

const waitings = ['input', 'auth', 'notification'] as const;

export function keptJson({ version, ...kept }: Kept): JsonObject {
  return { a2a: version, ...kept };
}

/** Null for what is none of ours: the agent may have spoken something else when it was kept. */
export function readKept(value: Json | undefined): Kept | null {
  if (!isObject(value)) return null;
  const version = wireVersions.find((one) => one === own(value, 'a2a'));
  const task_id = textIn(value, 'task_id');
  if (version === undefined || task_id === null) return null;
  return {
    version,
    task_id,
    context_id: textIn(value, 'context_id'),
    waits: waitings.find((one) => one === own(value, 'waits')) ?? null,
    answers: countIn(value, 'answers'),
    looks: countIn(value, 'looks'),
    troubles: countIn(value, 'troubles'),
  };
}

function countIn(value: JsonObject, key: string): number {
  const count = own(value, key);
  return Number.isSafeInteger(count) ? Number(count) : 0;
}
