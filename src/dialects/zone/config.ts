import type { Static } from 'typebox';
import { Type } from '../../type.ts';
import { SecretText } from '../auth/config.ts';
import { Timeout } from '../timeout.ts';
import { Tls } from '../tls.ts';

const text = (description: string) => Type.String({ minLength: 1, description });

export const ZoneConfig = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        pattern: '^(?:https?|wss?)://',
        'x-expected': 'an address that begins with https:// or wss://',
        description: 'where the zone is served, by POST or over a WebSocket',
      }),
    ),
    key: Type.Optional(SecretText('with `url`: the key that is shown, `${secrets.name}`')),
    tls: Type.Optional(Tls),
    runtime_arn: Type.Optional(text('instead of `url`: a runtime of AWS Bedrock AgentCore')),
    region: Type.Optional(text('with `runtime_arn`: its region')),
    qualifier: Type.Optional(text('with `runtime_arn`: which endpoint of the runtime')),
    endpoint: Type.Optional(text('with `runtime_arn`: instead of the address of the vendor')),
    access_key_id: Type.Optional(
      SecretText('with `runtime_arn`: `${secrets.name}`; without it the vendor’s own places are looked at'),
    ),
    secret_access_key: Type.Optional(SecretText('with `access_key_id`: `${secrets.name}`')),
    session_token: Type.Optional(SecretText('where the two are lent: `${secrets.name}`')),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'texts of the request that a task does not bring; `${secrets.name}` is filled in',
      }),
    ),
    result: Type.Optional(
      Type.String({
        pattern: '^(?:/.*)?$',
        'x-expected': 'a JSON pointer such as /response_text',
        description: 'what of the answer is the result of the task; all of it unless given',
      }),
    ),
    budget: Type.Optional({
      ...Timeout,
      description: 'how long the zone may hold a request back; 20 s unless given',
    }),
    poll: Type.Optional({
      ...Timeout,
      description: 'how long to wait before a task is asked for again; longer each time',
    }),
    timeout: Type.Optional(Timeout),
  },
  { additionalProperties: false },
);

export type ZoneConfig = Static<typeof ZoneConfig>;
