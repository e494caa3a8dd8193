import { Type } from '../../type.ts';
import { method } from '../method.ts';
import { count, MAX_LIMIT, name, nullable, params } from '../shapes/basic.ts';
import { event, eventFilter, subscription } from '../shapes/event.ts';
import * as sample from './samples.ts';

const subscription_id = 'a1b2c3d4e5f60718';

export const eventMethods = {
  'event.list': method({
    summary: 'Lists what happened so far, the oldest first',
    description:
      "`next_cursor` is the `cursor` of the next page, and null where there is nothing more right now. The answer's own " +
      '`cursor` says up to where it looked: `event.subscribe` goes on from there without a gap.',
    role: 'viewer',
    params: params({
      ...eventFilter,
      cursor: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'the newest event already seen; 0 is from the beginning',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 100 })),
    }),
    result: Type.Object({ items: Type.Array(event), cursor: count, next_cursor: nullable(count) }),
    errors: [],
    examples: [
      {
        name: 'how a run began',
        params: { workflow_id: sample.workflowId, limit: 1 },
        result: {
          items: [
            {
              cursor: 8411,
              event: 'workflow:started',
              at: sample.at,
              workflow_id: sample.workflowId,
              seq: 1,
              data: { name: 'Research and Summarize', total: 2 },
            },
          ],
          cursor: 8411,
          next_cursor: 8411,
        },
      },
    ],
  }),

  'event.subscribe': method({
    summary: 'Tells what happens, as notifications `event`, until the connection ends',
    description:
      'Over WebSocket only; `GET /events` is the same for server-sent events. First comes everything after `cursor`, ' +
      'then what happens from now on, without a gap and nothing twice. After a cut subscribe again with the cursor of ' +
      'the last event that arrived.',
    role: 'viewer',
    needs_connection: true,
    params: params(eventFilter),
    result: subscription,
    errors: ['GLZ4004'],
    examples: [
      {
        name: 'one run from its beginning',
        params: { workflow_id: sample.workflowId, cursor: 0 },
        result: { subscription_id, cursor: 0 },
      },
      {
        name: 'what fails from now on',
        params: { events: ['task:failed', 'workflow:failed'] },
        result: { subscription_id, cursor: 8412 },
      },
    ],
  }),

  'event.unsubscribe': method({
    summary: 'Ends a subscription of this connection',
    role: 'viewer',
    needs_connection: true,
    params: params({ subscription_id: name('as `event.subscribe` answered') }),
    result: Type.Object({ subscription_id: Type.String(), unsubscribed: Type.Boolean() }),
    errors: ['GLZ4004'],
    examples: [
      { name: 'ended', params: { subscription_id }, result: { subscription_id, unsubscribed: true } },
    ],
  }),
};
