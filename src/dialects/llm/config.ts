import type { Static } from 'typebox';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { Timeout } from '../timeout.ts';
import { Tls } from '../tls.ts';

export const apis = ['openai', 'anthropic', 'ollama', 'cohere', 'google'] as const;
export type Api = (typeof apis)[number];

export const LlmConfig = Type.Object(
  {
    api: Type.Enum([...apis], { description: 'whose API the service speaks' }),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://',
        'x-expected': 'an address that begins with http:// or https://',
        description: "where the API begins; the vendor's own address where it is left out",
      }),
    ),
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
        Type.String({ pattern: '^[^\\r\\n\\0]*$', 'x-expected': 'one line of text' }),
        {
          additionalProperties: false,
          description: 'sent with every request; `${secrets.name}` is filled in',
        },
      ),
    ),
    auth: Type.Optional(Auth),
    tls: Type.Optional(Tls),
    timeout: Type.Optional(Timeout),
    connections: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4096, default: 128, description: 'connections at most' }),
    ),
    default_model: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'for tasks that name no model; the first of `models` where it is left out',
      }),
    ),
    max_tokens: Type.Optional(
      Type.Integer({ minimum: 1, description: 'for tasks that do not say how long an answer may be' }),
    ),
    max_tokens_as: Type.Optional(
      Type.Enum(['max_tokens', 'max_completion_tokens'], {
        description:
          'for `openai`: the word the service knows; its vendor has left `max_tokens`, compatible services often know nothing else',
      }),
    ),
    stream: Type.Optional(
      Type.Boolean({ default: true, description: 'whether answers are reported while they are written' }),
    ),
    options: Type.Optional(
      Type.Unsafe<Readonly<Record<string, never>>>({
        type: 'object',
        description: 'put into every request as it stands, in the words of the API',
      }),
    ),
  },
  { additionalProperties: false },
);

export type LlmConfig = Static<typeof LlmConfig>;
