import { GleitzeitError } from '../../core/errors.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import { checkConfig } from '../check-config.ts';
import type { ProviderParts, ProviderSpec } from '../provider-type.ts';
import type { SimpleA2aConfig } from '../simple-a2a/config.ts';
import { simpleA2aTypes } from '../simple-a2a/index.ts';
import type { Cards } from './cards.ts';
import { A2aConfig } from './config.ts';
import { readKept } from './kept.ts';

type Open = (spec: ProviderSpec, parts: ProviderParts) => { provider: Provider; cards: Cards };

/** Speaks A2A with an agent that has a card, and simple A2A with any other; which it is may change while it is in use. */
export function openAuto(spec: ProviderSpec, parts: ProviderParts, openA2a: Open): Provider {
  const { provider: a2a, cards } = openA2a(spec, parts);
  const simple = openSimple(spec, parts);
  return {
    id: spec.id,
    protocol: spec.protocol,
    hasMethod: () => true,
    call: async (call) => {
      try {
        return await (await choose(call)).call(call);
      } catch (thrown) {
        return { word: 'failed', error: GleitzeitError.from(thrown, 'GLZ2002').toRecord() };
      }
    },
    probe: a2a.probe,
    abandon: (left) => a2a.abandon?.(left),
    warm: () => a2a.warm?.(),
    close: async () => {
      await Promise.all([a2a.close?.(), simple.close?.()]);
    },
  };

  async function choose({ kept, signal }: ProviderCall): Promise<Provider> {
    if (readKept(kept) !== null) return a2a;
    const known = await cards.known(signal);
    // In the wrong dialect the agent would refuse for good what it could have done.
    if (known.is === 'unsure') throw known.trouble;
    return known.is === 'found' ? a2a : simple;
  }
}

/** What is said of the wire of A2A means nothing to the other. */
function openSimple(spec: ProviderSpec, parts: ProviderParts): Provider {
  const { url, headers, auth, timeout, connections, tls } = checkConfig(A2aConfig, spec.config, '/config');
  const config: SimpleA2aConfig = {
    url,
    ...(headers === undefined ? {} : { headers }),
    ...(auth === undefined ? {} : { auth }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(connections === undefined ? {} : { connections }),
    ...(tls === undefined ? {} : { tls }),
  };
  const [simple] = simpleA2aTypes;
  if (simple === undefined) throw new GleitzeitError('GLZ9001', 'simple A2A is not among the dialects');
  return simple.open({ ...spec, config }, parts);
}
