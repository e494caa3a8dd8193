import { protocol } from '../../registry/typed.ts';

const text = { type: 'string' } as const;
const visible_to = {
  enum: ['channel', 'asker'],
  description: 'who sees what is posted at a response_url',
} as const;

/** A question, as the verification zone takes it. */
const asked = {
  type: 'object',
  properties: {
    id: text,
    received_at: { type: 'number' },
    request: {
      type: 'object',
      properties: {
        channel: text,
        text,
        correlation_id: text,
        thread_ts: text,
        team_id: text,
        user_id: text,
        command: text,
        attachments: { type: 'array', items: { type: 'object' } },
      },
      required: ['channel', 'text', 'correlation_id'],
    },
  },
  required: ['id', 'received_at', 'request'],
} as const;

/**
 * What the gateway does for one message of a chat, as tasks of its own engine: they are durable, known by their key, and
 * go on after a restart because every task does.
 */
export const askingProtocol = protocol({
  name: 'zone-asking/v1',
  description: 'The gateway of a zone asks the execution zone what somebody wrote.',
  methods: {
    ask: {
      description: 'asks the execution zone and waits for its answer',
      params: {
        type: 'object',
        properties: { asked },
        required: ['asked'],
        additionalProperties: false,
      },
      returns: {
        type: 'object',
        properties: {
          ...{ is: text, text },
          visible_to,
          at: { type: 'number', description: 'when it was known, in milliseconds of wall time' },
        },
        required: ['is', 'text'],
      },
      idempotent: true,
    },
  },
});

/** A queue of its own: a reply that is known does not stand behind questions that wait for theirs. */
export const postingProtocol = protocol({
  name: 'zone-posting/v1',
  description: 'The gateway of a zone posts replies.',
  methods: {
    post: {
      description: 'posts a reply',
      params: {
        type: 'object',
        properties: {
          client_msg_id: { type: 'string', description: 'the same however often the reply is posted' },
          text: { type: 'string' },
          channel: { type: 'string', description: 'where it is posted, unless there is a response_url' },
          thread_ts: { type: 'string' },
          // Whoever knows it may write into the channel.
          response_url: { type: 'string', 'x-secret': true },
          visible_to,
          known_at: {
            type: 'number',
            description: 'since when it could be posted, in milliseconds of wall time',
          },
          correlation_id: { type: 'string', description: 'stands in the log' },
        },
        required: ['client_msg_id', 'text'],
        additionalProperties: false,
      },
      returns: {
        type: 'object',
        properties: { ts: { type: ['string', 'null'] } },
        required: ['ts'],
      },
    },
  },
});
