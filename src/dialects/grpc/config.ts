import { GleitzeitError } from '../../core/errors.ts';
import type { GrpcMethod } from '../../rpc/grpc/grpc.ts';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { checkMethods } from '../reached.ts';
import { Timeout } from '../timeout.ts';
import { Path, Tls } from '../tls.ts';

const SERVICE = '[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*';

const Metadata = Type.Record(
  Type.String({ pattern: '^[0-9a-z_.-]+$' }),
  Type.String({ pattern: '^[\\x20-\\x7e]*$', 'x-expected': 'one line of plain characters' }),
  { additionalProperties: false, description: 'sent with every call; `${secrets.name}` is filled in' },
);

const Amount = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-unit': 'duration',
    minimum: 1,
    maximum: 86_400,
    description,
  });

export const GrpcConfig = Type.Object(
  {
    url: Type.String({
      pattern: '^grpcs?://[^/?#@]+/?$',
      'x-expected': 'an address that begins with grpc:// or, with TLS, grpcs://, and has no path',
      description: 'where the service listens',
    }),
    methods: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({ pattern: `^${SERVICE}/[A-Za-z_]\\w*$`, 'x-expected': 'package.Service/Method' }),
        { description: 'what is called for a method: `search: search.v1.Search/Find`' },
      ),
    ),
    service: Type.Optional(
      Type.String({
        pattern: `^${SERVICE}$`,
        'x-expected': 'package.Service',
        description: 'for methods that `methods` does not list: `find_all` is its method `FindAll`',
      }),
    ),
    proto: Type.Optional(
      Type.Array(Path('a .proto file'), {
        minItems: 1,
        description:
          'the files its messages are written in; left out where the service has server reflection',
      }),
    ),
    include: Type.Optional(
      Type.Array(Path('a folder'), { description: 'where .proto files look for those they import' }),
    ),
    metadata: Type.Optional(Metadata),
    auth: Type.Optional(Auth),
    tls: Type.Optional(Tls),
    timeout: Type.Optional(Timeout),
    max_messages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 10_000,
        description: 'messages of a stream at most',
      }),
    ),
    keepalive: Type.Optional(
      Amount('how often it is asked whether it is still there while calls wait; never where it is left out'),
    ),
  },
  { additionalProperties: false },
);

/** What is called for a method; null for one that the service does not have. */
export function methodFor(
  method: string,
  {
    methods = {},
    service,
  }: { readonly methods?: Readonly<Record<string, string>>; readonly service?: string },
): GrpcMethod | null {
  const named = Object.hasOwn(methods, method) ? methods[method] : undefined;
  const [of = '', name = ''] = named?.split('/') ?? [];
  if (named !== undefined) return { service: of, method: name };
  return service === undefined ? null : { service, method: upperCamel(method) };
}

function upperCamel(method: string): string {
  return method
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** gRPC has no query to send a key in, and a service that is nowhere named cannot be called. */
export function checkGrpc(
  config: { readonly methods?: object; readonly service?: string; readonly auth?: object },
  known: readonly string[],
): void {
  if (config.auth !== undefined && 'query' in config.auth)
    throw wrong('/config/auth/query', 'gRPC sends keys as metadata', 'write header instead');
  if (config.methods === undefined && config.service === undefined)
    throw wrong(
      '/config/methods',
      'is missing',
      'write methods: {search: search.v1.Search/Find}, or service',
    );
  checkMethods(Object.keys(config.methods ?? {}), known, '/config/methods');
}

function wrong(field: string, reason: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason, hint });
}
