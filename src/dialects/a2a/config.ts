import type { Static } from 'typebox';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { Headers } from '../reached.ts';
import { Tls } from '../tls.ts';
import { wireVersions } from './wire/model.ts';

const Duration = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-unit': 'duration',
    minimum: 0.001,
    maximum: 86_400,
    description,
  });

/** Where an agent is and how it is reached; the same for every dialect of agents. */
export const reachedMembers = {
  url: Type.String({
    pattern: '^https?://',
    'x-expected': 'an address that begins with http:// or https://',
    description: 'where the agent is: a base address below which its card lies, its endpoint, or its card',
  }),
  headers: Type.Optional(Headers),
  auth: Type.Optional(Auth),
  tls: Type.Optional(Tls),
  timeout: Type.Optional(
    Duration(
      'how long one answer may take, and a stream be silent; work that takes longer is followed up as long as the task may take',
    ),
  ),
  connections: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 4096, default: 128, description: 'connections at most' }),
  ),
};

/** What can be said of an agent that speaks A2A, besides where it is: the `protocol_config` of its entry. */
export const wireMembers = {
  method: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'the method that takes messages, where an agent has a name of its own for it; `message/send` of A2A 0.3 and `SendMessage` of 1.0 are found out. With another name no answer is streamed',
    }),
  ),
  version: Type.Optional(
    Type.Enum(['2.0'], { default: '2.0', description: 'the version of JSON-RPC; there is one' }),
  ),
  a2a_version: Type.Optional(
    Type.Enum(['auto', ...wireVersions], {
      default: 'auto',
      description: 'the version of A2A; `auto` goes by the card, and by what the agent then says',
    }),
  ),
  card: Type.Optional(
    Type.String({
      pattern: '^(?:auto|none|https?://.+|/.*)$',
      'x-expected': '`auto`, `none`, an address, or a path that begins with /',
      default: 'auto',
      description: 'where the card is; `none` calls the agent at `url` without having seen one',
    }),
  ),
  stream: Type.Optional(
    Type.Boolean({
      description:
        'whether the answer is asked for as a stream; where it is left out, if the card says that the agent can',
    }),
  ),
  blocking: Type.Optional(
    Type.Boolean({
      description:
        'whether the agent is asked to answer only when it is done; its own choice where it is left out. Work that takes longer is followed up in any case',
    }),
  ),
  poll_interval: Type.Optional(
    Duration('how often unfinished work is asked after at first; 1 s by default, and more and more seldom'),
  ),
  push: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'lets the agent call back when it is done, where its card says that it can and `server.public_url` is set; nothing is held open meanwhile',
    }),
  ),
  push_timeout: Type.Optional(
    Duration('after how long without a call back the agent is asked anyway; 60 s by default'),
  ),
  accepted_output_modes: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'media types that answers may have: `text/plain`',
    }),
  ),
  history_length: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'how many messages of the history are asked for',
    }),
  ),
  extensions: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'addresses of extensions that are switched on with every request',
    }),
  ),
  batch: Type.Optional(
    Type.Object(
      {
        size: Type.Integer({
          minimum: 2,
          maximum: 1000,
          description: 'requests at most that travel as one batch of JSON-RPC; no answer is streamed then',
        }),
        wait: Type.Optional(
          Duration('how long the first request of a batch waits for others; 10 ms by default'),
        ),
      },
      { additionalProperties: false },
    ),
  ),
};

export const A2aConfig = Type.Object({ ...reachedMembers, ...wireMembers }, { additionalProperties: false });

export type A2aConfig = Static<typeof A2aConfig>;
