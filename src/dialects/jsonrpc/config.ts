import { child } from '../../core/json-pointer.ts';
import { Problems } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { Headers } from '../reached.ts';
import { Timeout } from '../timeout.ts';
import { Path, Tls } from '../tls.ts';
import type { Naming } from './provider.ts';

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** What every JSON-RPC service can be told, whatever carries it. */
const common = {
  methods: Type.Optional(Texts('what the service calls a method: `search: web.search`')),
  method_prefix: Type.Optional(
    Type.String({ description: 'put in front of the names of methods that `methods` does not list' }),
  ),
  only: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'the methods of the protocol that this service has; all of them where it is left out',
    }),
  ),
  timeout: Type.Optional(Timeout),
};

export const HttpConfig = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://',
      'x-expected': 'an address that begins with http:// or https://',
      description: 'where requests are posted',
    }),
    headers: Type.Optional(Headers),
    auth: Type.Optional(Auth),
    ...common,
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

export const WebSocketConfig = Type.Object(
  {
    url: Type.String({
      pattern: '^wss?://',
      'x-expected': 'an address that begins with ws:// or wss://',
      description: 'where the connection is opened',
    }),
    headers: Type.Optional(Headers),
    auth: Type.Optional(Auth),
    ...common,
    tls: Type.Optional(Tls),
  },
  { additionalProperties: false },
);

export const StdioConfig = Type.Object(
  {
    command: Type.Array(Type.String(), {
      minItems: 1,
      description: 'the program and its arguments; no shell reads them',
    }),
    cwd: Type.Optional(Path('the folder it runs in')),
    env: Type.Optional(
      Texts('variables it gets besides a few harmless ones; `${secrets.name}` is filled in'),
    ),
    framing: Type.Optional(
      Type.Enum(['auto', 'lines', 'headers'], {
        default: 'auto',
        description: 'one message a line, or Content-Length before each; `auto` answers as the program does',
      }),
    ),
    ...common,
  },
  { additionalProperties: false },
);

export type CommonConfig = {
  readonly methods?: Readonly<Record<string, string>>;
  readonly method_prefix?: string;
  readonly only?: readonly string[];
  readonly timeout?: number | string;
};

export function namingOf({ methods = {}, method_prefix = '', only }: CommonConfig): Naming {
  return {
    renamed: new Map(Object.entries(methods)),
    prefix: method_prefix,
    only: only === undefined ? null : new Set(only),
  };
}

/** Methods that the protocol does not have would never be called: they are misspelt. */
export function checkNames({ methods = {}, only = [] }: CommonConfig, known: readonly string[]): void {
  const problems = new Problems();
  const check = (name: string, field: string) => {
    if (known.includes(name)) return;
    const reason = `the protocol has no method ${JSON.stringify(name)}`;
    problems.add('GLZ1012', { field, reason, hint: didYouMean(name, known, 'its methods') });
  };
  for (const name of Object.keys(methods)) check(name, child('/config/methods', name));
  for (const [index, name] of only.entries()) check(name, `/config/only/${index}`);
  problems.throwIfAny();
}
