import { Type } from '../../type.ts';
import { method } from '../method.ts';
import { roles } from '../roles.ts';
import { anyObject, count, noParams, time, words } from '../shapes/basic.ts';
import * as sample from './samples.ts';

const info = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    started_at: time,
    uptime_ms: count,
    store: words(['sqlite', 'postgres', 'simulated']),
    ready: Type.Boolean({ description: 'whether the store took the last commit' }),
    protocols: count,
    providers: count,
    subscriptions: count,
    caller: Type.Object({ name: Type.String(), role: words(roles) }),
  },
  { title: 'SystemInfo' },
);

export const systemMethods = {
  'system.info': method({
    summary: 'Tells what answers here, since when, and as whom you are known',
    role: 'viewer',
    params: noParams,
    result: info,
    errors: [],
    examples: [
      {
        name: 'on a laptop',
        params: {},
        result: {
          name: 'gleitzeit',
          version: '0.2.0',
          started_at: sample.at,
          uptime_ms: 61_000,
          store: 'sqlite',
          ready: true,
          protocols: 2,
          providers: 2,
          subscriptions: 0,
          caller: { name: 'local', role: 'admin' },
        },
      },
    ],
  }),

  'rpc.discover': method({
    summary: 'Gives this API as an OpenRPC document',
    role: 'viewer',
    params: noParams,
    result: anyObject,
    errors: [],
    examples: [],
  }),

  'auth.ticket': method({
    summary: 'Gives a ticket with which a browser opens a WebSocket or an event stream',
    description:
      'Browsers cannot send a key there. The ticket stands for the key that asked for it: once, within half a minute, as ' +
      '`?ticket=…`.',
    role: 'viewer',
    params: noParams,
    result: Type.Object({ ticket: Type.String(), expires_at: time }),
    errors: [],
    examples: [
      {
        name: 'a ticket',
        params: {},
        result: { ticket: 'glzt_3q2-7wAAABCdEfGhIjKlMnOpQrStUvWxYz012345678', expires_at: sample.later },
      },
    ],
  }),
};
