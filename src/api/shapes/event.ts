import { eventNames } from '../../core/events.ts';
import { Type } from '../../type.ts';
import { anyObject, count, oneOrMore, taskId, time, words, workflowId } from './basic.ts';

const cursor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** What whoever follows events may ask for: the same names over WebSocket and in the query of `GET /events`. */
export const eventFilter = {
  events: oneOrMore(eventNames, 'only events of these names'),
  task_id: Type.Optional(taskId),
  workflow_id: Type.Optional(workflowId),
  cursor: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'the newest event already seen: everything after it comes first. 0 is from the beginning, left out from now on',
    }),
  ),
};

const eventFields = {
  cursor,
  event: words(eventNames, { title: 'EventName' }),
  at: time,
  task_id: Type.Optional(Type.String()),
  workflow_id: Type.Optional(Type.String()),
  seq: Type.Optional(Type.Integer({ minimum: 1, description: 'counts the events of one run, without gaps' })),
  data: anyObject,
};

export const event = Type.Object(eventFields, {
  title: 'Event',
  description:
    'one recorded change; it tells what changed and hashes of payloads, never payloads or secrets. Only `task:progress` and `task:input_required` tell what a service says while it runs, and asks',
});

/** The params of the notification `event`. */
export const eventNotification = Type.Object(
  { subscription_id: Type.String(), ...eventFields },
  { title: 'EventNotification' },
);

export const subscription = Type.Object(
  { subscription_id: Type.String(), cursor: count },
  { title: 'Subscription', description: '`cursor`: the events after it are going to come' },
);
