import type { TSchema } from 'typebox';
import { methods } from '../../api/methods.ts';
import { roles } from '../../api/roles.ts';
import { anyJson, nullable, words } from '../../api/shapes/basic.ts';
import { event } from '../../api/shapes/event.ts';
import { Type } from '../../type.ts';

/** One of several shapes: an id is a run's or a task's. */
function either<First extends TSchema, Second extends TSchema>(first: First, second: Second) {
  return Type.Union([first, second]);
}

const list = methods['task.list'].result;

/** What commands print that ask a server: mostly what it answered. */
export const clientOutputs = {
  list: either(methods['workflow.list'].result, list),
  status: either(methods['workflow.status'].result, methods['task.status'].result),
  result: either(methods['workflow.results'].result, methods['task.result'].result),
  event,
  submitted: either(methods['workflow.submit'].result, methods['task.submit'].result),
  cancelled: either(methods['workflow.cancel'].result, methods['task.cancel'].result),
  run_status: methods['workflow.pause'].result,
  retried: either(methods['workflow.retry'].result, methods['task.retry'].result),
  responded: methods['task.respond'].result,
  task_list: list,
  queue_stats: methods['queue.stats'].result,
  queue_state: methods['queue.pause'].result,
  protocol_list: methods['protocol.list'].result,
  protocol: methods['protocol.get'].result,
  protocol_registered: methods['protocol.register'].result,
  protocol_imported: Type.Object(
    { protocols: Type.Array(anyJson) },
    { description: 'as it stands in a configuration' },
  ),
  protocol_docs: Type.Object({
    pages: Type.Array(Type.Object({ name: Type.String(), markdown: Type.String() })),
  }),
  protocol_stats: methods['protocol.stats'].result,
  provider_list: methods['provider.list'].result,
  provider: methods['provider.status'].result,
  provider_state: methods['provider.drain'].result,
  provider_test: methods['provider.test'].result,
  agent_list: methods['agent.list'].result,
  agent: methods['agent.get'].result,
  agent_removed: methods['agent.delete'].result,
  agent_ping: methods['agent.ping'].result,
  agent_discovered: methods['agent.discover'].result,
  api: Type.Unsafe<unknown>({ description: 'whatever the method answers' }),
};

const source = Type.String({ description: '`default`, `file:line`, `env NAME` or `flag --name`' });

/** What commands print that ask nobody. */
export const configOutputs = {
  config: Type.Object({
    items: Type.Array(Type.Object({ path: Type.String(), value: anyJson, source })),
  }),
  token_list: Type.Object({
    items: Type.Array(Type.Object({ name: Type.String(), role: words(roles), hash: Type.String(), source })),
  }),
  token_revoked: Type.Object({ name: Type.String(), role: words(roles), file: Type.String() }),
  completion: Type.Object({ shell: Type.String(), script: Type.String() }),
  error: Type.Object(
    {
      error: Type.Object({
        code: Type.String({ description: 'a code of docs/reference/errors.md' }),
        message: Type.String(),
        field: Type.Optional(Type.String()),
        reason: Type.Optional(Type.String()),
        hint: Type.Optional(Type.String({ description: 'what to do about it' })),
        problems: Type.Optional(
          Type.Array(
            Type.Object({
              file: Type.String(),
              line: Type.Integer({ minimum: 0 }),
              column: Type.Integer({ minimum: 0 }),
              path: Type.String(),
              message: Type.String(),
              code: Type.String(),
              found: nullable(Type.String()),
              expected: nullable(Type.String()),
              hint: nullable(Type.String()),
            }),
          ),
        ),
      }),
    },
    { description: 'what stands on stderr, in one line, when a command fails' },
  ),
};
