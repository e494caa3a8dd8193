import fc from 'fast-check';
import type { JsonObject } from '../../../../core/json.ts';
import { type Artifact, type Message, type Part, type Said, type TaskStatus, taskStates } from '../model.ts';

/** Everything that can be said in both versions alike. */

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const name = fc.string({ minLength: 1, maxLength: 12 });
const names = fc.array(name, { minLength: 1, maxLength: 3 });
/** JSON that is the same after it was written and read. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const metadata = fc
  .dictionary(name, json, { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

function optional<
  Members extends Record<string, fc.Arbitrary<unknown>>,
  Optional extends Record<string, fc.Arbitrary<unknown>>,
>(members: Members, others: Optional) {
  return fc.record({ ...members, ...others }, { requiredKeys: Object.keys(members) as never });
}

const file = fc.oneof(
  fc.record({ bytes: fc.base64String({ minLength: 4 }) }),
  fc.record({ uri: fc.webUrl() }),
);

const part = fc.oneof(
  optional({ kind: fc.constant('text'), text }, { metadata }),
  optional({ kind: fc.constant('file'), file }, { name, media_type: name, metadata }),
  optional({ kind: fc.constant('data'), data: metadata }, { metadata }),
) as fc.Arbitrary<Part>;

const parts = fc.array(part, { maxLength: 4 });

export const message = optional(
  { message_id: name, role: fc.constantFrom('user', 'agent'), parts },
  { context_id: name, task_id: name, reference_task_ids: names, extensions: names, metadata },
) as fc.Arbitrary<Message>;

const artifact = optional(
  { artifact_id: name, parts },
  { name, description: text, extensions: names, metadata },
) as fc.Arbitrary<Artifact>;

/** `said` is the agent's own spelling; what counts is the state. */
const status: fc.Arbitrary<TaskStatus> = fc
  .record(
    { state: fc.constantFrom(...taskStates), message, timestamp: fc.constant('2026-01-01T00:00:00Z') },
    { requiredKeys: ['state'] },
  )
  .map((one) => ({ ...one, said: one.state }));

const task = optional(
  {
    id: name,
    status,
    artifacts: fc.array(artifact, { maxLength: 3 }),
    history: fc.array(message, { maxLength: 3 }),
  },
  { context_id: name, metadata },
);

const update = { task_id: name };
const more = { context_id: name, metadata };

/** `final` is left out: only the old version says it. */
export const said = fc.oneof(
  fc.record({ is: fc.constant('task'), task }),
  fc.record({ is: fc.constant('message'), message }),
  optional({ is: fc.constant('status'), ...update, status }, more),
  optional(
    { is: fc.constant('artifact'), ...update, artifact, append: fc.boolean(), last_chunk: fc.boolean() },
    more,
  ),
) as fc.Arbitrary<Said>;
