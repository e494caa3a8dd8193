import type { Method } from '../api/method.ts';
import { type MethodName, methodEntries } from '../api/methods.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { MethodHandler, MethodTable } from '../rpc/dispatch.ts';
import { type Caller, type Connection, mayAct } from '../rpc/listener/route.ts';
import type { Call, Handlers } from './handlers.ts';
import { agentHandlers } from './methods/agent.ts';
import { definitionHandlers } from './methods/definition.ts';
import { eventHandlers } from './methods/event.ts';
import { functionHandlers } from './methods/function.ts';
import { protocolHandlers } from './methods/protocol.ts';
import { providerHandlers } from './methods/provider.ts';
import { queueHandlers } from './methods/queue.ts';
import { systemHandlers } from './methods/system.ts';
import { taskHandlers } from './methods/task.ts';
import { workflowHandlers } from './methods/workflow.ts';
import { paramsReaders, type ReadParams } from './params.ts';
import type { ControlParts } from './parts.ts';
import { named } from './thrown.ts';

/** The control API as dispatch calls it: who may, with which params, and then the engine. */
export function controlMethods(parts: ControlParts): MethodTable<Connection> {
  const handlers: Handlers = {
    ...taskHandlers(parts),
    ...workflowHandlers(parts),
    ...definitionHandlers(parts),
    ...queueHandlers(parts),
    ...protocolHandlers(parts),
    ...providerHandlers(parts),
    ...agentHandlers(parts),
    ...functionHandlers(parts),
    ...eventHandlers(parts),
    ...systemHandlers(parts),
  };
  const readerOf = paramsReaders();
  return new Map(
    methodEntries.map(([name, method]) => [
      name,
      guarded(name, { method, read: readerOf(name, method), handle: handlers[name] as Handle }),
    ]),
  );
}

/** Each handler takes what its own reader has read: the table above has them under the same name. */
type Handle = (params: JsonObject, call: Call) => unknown;
type Guarded = { readonly method: Method; readonly read: ReadParams; readonly handle: Handle };

function guarded(name: MethodName, { method, read, handle }: Guarded): MethodHandler<Connection> {
  return async ({ params, context, signal, id }) => {
    requireRole(name, method, context.caller);
    if (method.needs_connection === true && context.socket === null) throw needsConnection(name);
    try {
      return await handle(read(params), { connection: context, signal, id });
    } catch (thrown) {
      throw named(thrown);
    }
  };
}

function requireRole(name: MethodName, { role }: Method, caller: Caller): void {
  if (mayAct(caller, role)) return;
  const reason = `${name} takes the role ${role}, and the key "${caller.name}" has ${caller.role}`;
  throw new GleitzeitError('GLZ4002', reason, { reason, hint: `use a key with the role ${role}` });
}

function needsConnection(name: MethodName): GleitzeitError {
  const reason = `${name} works over a connection that stays open, and this call came alone`;
  return new GleitzeitError('GLZ4004', reason, {
    reason,
    hint: 'call it over a WebSocket on /rpc, or read the events from GET /events',
  });
}
