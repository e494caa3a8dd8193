import type { Static } from 'typebox';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { Headers } from '../reached.ts';
import { Timeout } from '../timeout.ts';
import { Tls } from '../tls.ts';

export const SimpleA2aConfig = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://',
      'x-expected': 'an address that begins with http:// or https://',
      description: 'where tasks are posted',
    }),
    headers: Type.Optional(Headers),
    auth: Type.Optional(Auth),
    timeout: Type.Optional(Timeout),
    connections: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4096,
        default: 128,
        description: 'connections at most; calls beyond them wait for one',
      }),
    ),
    tls: Type.Optional(Tls),
  },
  { additionalProperties: false },
);

export type SimpleA2aConfig = Static<typeof SimpleA2aConfig>;
