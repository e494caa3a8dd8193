import { onTestFinished } from 'vitest';
import type { ProviderParts } from '../provider-type.ts';
import {
  handClock,
  numbered,
  openProvider,
  outcomeOf,
  type ServiceParts,
  startService,
} from './service.suite.ts';

type More = { readonly auth?: object; readonly type?: string; readonly parts?: Partial<ProviderParts> };

/** A service with a token endpoint, a provider that uses both, and a clock that stands still. */
export async function stage(
  service: ServiceParts,
  { auth = {}, type = 'jsonrpc-http', parts = {} }: More = {},
) {
  const started = await startService({ token: numbered(), ...service });
  onTestFinished(started.stop);
  const time = handClock();
  const client = { client_id: 'me', client_secret: '${secrets.client}' };
  const url = type === 'jsonrpc-ws' ? started.socket_url : started.url;
  const target = { type, url, auth: { type: 'oauth2', token_url: started.token_url, ...client, ...auth } };
  const provider = openProvider(target, { clock: time.clock, secrets: () => 's e:cret', ...parts });
  onTestFinished(async () => provider.close?.());
  const shown = () => started.calls.map(({ headers }) => headers.authorization?.replace('Bearer token-', ''));
  return {
    ...started,
    ...time,
    provider,
    shown,
    call: (signal?: AbortSignal) => outcomeOf(provider, signal),
  };
}
