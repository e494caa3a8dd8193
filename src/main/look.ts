import { isObject, own } from '../core/json.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Provider } from '../core/ports/provider.ts';
import { providerTls, type TlsFiles } from './provider-tls.ts';

/** Lets a provider with an address be asked for pages at its host, for its health. Loaded with the first question. */
export function withLook(
  provider: Provider,
  { config, logger }: { readonly config: unknown; readonly logger: Logger },
): Provider {
  const url = isObject(config) ? own(config, 'url') : undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return provider;
  const files = isObject(config) ? own(config, 'tls') : undefined;
  const options = isObject(files) ? { tls: providerTls(files as TlsFiles, logger) } : {};
  return Object.assign(provider, {
    look: async (path: string, signal: AbortSignal) => {
      const { lookAt } = await import('../rpc/http/look.ts');
      return lookAt(new URL(url), options)(path, signal);
    },
  });
}
