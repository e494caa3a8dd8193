import { GleitzeitError } from '../../core/errors.ts';
import type { ServerSocket } from '../../rpc/websocket/server-socket.ts';
import { onTheWire } from '../events/told.ts';
import type { Call, Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { listOf, present } from '../queries.ts';

export function eventHandlers({ subscriptions, reads }: ControlParts): Handlers<Family<'event'>> {
  return {
    'event.list': async ({ events, task_id, workflow_id, cursor = 0, limit = 100 }) => {
      const filter = present({ events: listOf(events), task_id, workflow_id });
      const page = await reads.events({ ...filter, after: cursor, limit });
      const next_cursor = page.more ? page.cursor : null;
      return { items: page.events.map(onTheWire), cursor: page.cursor, next_cursor };
    },

    'event.subscribe': ({ events, task_id, workflow_id, cursor }, call) => {
      if (call.id === undefined) throw unnamed();
      const filter = present({ events: listOf(events), task_id, workflow_id });
      if (filter.events?.length === 0) throw ofNothing();
      return subscriptions.subscribe(socketOf(call), { ...filter, cursor }, call.connection.afterAnswer);
    },

    'event.unsubscribe': ({ subscription_id }, call) => {
      return { subscription_id, unsubscribed: subscriptions.unsubscribe(socketOf(call), subscription_id) };
    },
  };
}

/** The method table keeps calls without one away from here. */
function socketOf({ connection }: Call): ServerSocket {
  if (connection.socket !== null) return connection.socket;
  throw new GleitzeitError('GLZ4004', 'there is no connection that stays open');
}

/** Nobody would know what the events belong to, or how to end them. */
function unnamed(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'event.subscribe as a notification opens nothing', {
    hint: 'send it with an id: the answer names the subscription',
  });
}

/** It would never say anything, and look as if nothing happened. */
function ofNothing(): GleitzeitError {
  const reason = 'names no events, so that none would ever come';
  const hint = 'leave it out to hear of everything';
  return new GleitzeitError('GLZ1012', `events: ${reason}`, { field: 'events', reason, hint });
}
