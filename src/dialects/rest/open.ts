import type { Provider } from '../../core/ports/provider.ts';
import { redact } from '../../core/secrets.ts';
import { checkReached, type Reached } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { filled } from '../filled.ts';
import { httpProbe } from '../http-probe.ts';
import type { TemplateParts } from '../mapping/template.ts';
import type { ProviderParts, ProviderSpec } from '../provider-type.ts';
import { checkMethods } from '../reached.ts';
import { Remembered } from '../remembered.ts';
import { limitOf } from '../timeout.ts';
import type { Reading } from './answer.ts';
import { type Operation, restProvider } from './provider.ts';
import { requestHeads } from './request.ts';

/** The part of a configuration that is the same for everything that is called over HTTP by a mapping. */
export type MappedConfig = Reached & {
  readonly timeout?: number | string;
  readonly connections?: number;
  readonly redirects?: number;
  readonly idempotency?: string;
  readonly methods: Readonly<Record<string, unknown>>;
};

/** What a mapping needs to be read. */
export type Compiling = TemplateParts & Pick<Reading, 'wall' | 'hide'>;

export type Mapped = {
  readonly config: MappedConfig;
  /** Reads the mapping of one method. Throws GLZ1012 for one that cannot be meant. */
  compile(name: string, compiling: Compiling): Operation | null;
};

const CONNECTIONS = 128;

export function openMapped(spec: ProviderSpec, parts: ProviderParts, { config, compile }: Mapped): Provider {
  checkReached(config, '/config');
  const names = Object.keys(config.methods);
  checkMethods(names, parts.methods, '/config/methods');
  const told = new Remembered();
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const credentials = openCredentials(config.auth, parts, '/config/auth');
  const secrets = () => [
    ...told.values(),
    ...headers.values(),
    ...(credentials?.values() ?? []),
    ...(parts.hidden?.() ?? []),
  ];
  const compiling: Compiling = {
    heads: requestHeads,
    secrets: { open: parts.secrets, told },
    wall: () => parts.clock.wall(),
    hide: (text) => redact(text, secrets()),
  };
  const operations = new Map<string, Operation>();
  for (const name of names) {
    const operation = compile(name, compiling);
    if (operation !== null) operations.set(name, operation);
  }
  const fixed = headers.constant ? lowerCased(headers.fill()) : {};
  const timeout = limitOf(config.timeout, parts.timers, '/config/timeout');
  const fill = headers.constant ? () => fixed : () => lowerCased(headers.fill());
  return restProvider({
    id: spec.id,
    protocol: spec.protocol,
    operations,
    headers: fill,
    idempotency: config.idempotency?.toLowerCase() ?? null,
    timeout,
    secrets,
    timers: parts.timers,
    probe: httpProbe({
      ...{ web: parts.channels.web, url: new URL(config.url), tls: config.tls ?? null },
      ...{ credentials, headers: fill, secrets },
    }),
    // The last: a mistake in the rest leaves nothing behind.
    client: parts.channels.web({
      url: config.url,
      tls: config.tls ?? null,
      credentials,
      connections: config.connections ?? CONNECTIONS,
      redirects: config.redirects ?? 0,
    }),
  });
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
