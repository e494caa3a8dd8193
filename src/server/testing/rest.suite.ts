import { request } from 'undici';
import type { Role } from '../../api/roles.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultListenerLimits, type ListenerLimits } from '../../rpc/listener/limits.ts';
import { createListener } from '../../rpc/listener/listener.ts';
import { createKey } from '../access/keys.ts';
import { openHouse } from './house.suite.ts';

export type RestAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: JsonObject;
};

export type AskOptions = {
  readonly body?: Json | undefined;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly role?: Role | null;
};

/** A whole server on a port of its own, with a key for each role, asked as scripts ask it. */
export async function serveRest(
  limits: Partial<ListenerLimits> = {},
  options: { readonly allowed_origins?: readonly string[] } = {},
) {
  const keys = (['viewer', 'operator', 'admin'] as const).map((role) =>
    createKey(role, role, systemRandom()),
  );
  const house = await openHouse({ keys: () => keys.map(({ entry }) => entry) });
  const { authenticate, routes } = house.face;
  const listener = createListener({
    on: { host: '127.0.0.1', port: 0 },
    limits: { ...defaultListenerLimits, ...limits },
    allowed_hosts: [],
    allowed_origins: [],
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    clock: systemClock,
    timers: systemTimers,
    ...options,
    ...(authenticate === undefined ? {} : { authenticate }),
  });
  for (const route of routes) listener.mount(route);
  const { url } = await listener.start();
  const keyOf = (role: Role) => keys.find(({ entry }) => entry.role === role)?.key ?? '';
  const ask = async (
    method: string,
    path: string,
    { body, raw, headers = {}, role = 'admin' }: AskOptions = {},
  ): Promise<RestAnswer> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await request(`${url}${path}`, {
      method: method as 'GET',
      headers: {
        ...(role === null ? {} : { authorization: `Bearer ${keyOf(role)}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const json = isJson && text !== '' ? (JSON.parse(text) as JsonObject) : {};
    return { status: answer.statusCode, headers: answer.headers, text, json };
  };
  const close = async () => {
    await listener.stop(1000);
    await house.close();
  };
  return { house, listener, url, ask, close };
}
