import { isObject, own } from '../core/json.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { ChannelFactories } from '../dialects/registry.ts';
import type { Look } from '../rpc/http/look.ts';
import { providerTls, type TlsFiles } from './provider-tls.ts';

type Parts = {
  readonly config: unknown;
  readonly logger: Logger;
  readonly channels: Pick<ChannelFactories, 'look'>;
};

/** Lets a provider with an address be asked for pages at its host, for its health. */
export function withLook(provider: Provider, { config, logger, channels }: Parts): Provider {
  const url = isObject(config) ? own(config, 'url') : undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return provider;
  const files = isObject(config) ? own(config, 'tls') : undefined;
  const tls = isObject(files) ? (files as TlsFiles) : null;
  return Object.assign(provider, { look: (channels.look ?? lookFrom(logger))({ url, tls }) });
}

/** Pages as they are asked for where nothing stands in between. Loaded with the first question. */
export function lookFrom(logger: Logger): NonNullable<ChannelFactories['look']> {
  return ({ url, tls }): Look => {
    const options = tls === null ? {} : { tls: providerTls(tls, logger) };
    return async (path, signal) => {
      const { lookAt } = await import('../rpc/http/look.ts');
      return lookAt(new URL(url), options)(path, signal);
    };
  };
}
