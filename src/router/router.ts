import type { Provider } from '../core/ports/provider.ts';
import type { Routed, Router } from '../core/ports/router.ts';
import { nobodyHas } from './nobody.ts';

/**
 * Finds a provider that implements the protocol and has the method; with several, each in turn. These providers and no
 * others, as they are: for those that come and go there are the pools.
 */
export function createRouter(providers: readonly Provider[]): Router {
  const pools = Map.groupBy(providers.map(passTo), ({ passage }) => passage.provider.protocol);
  const protocols = [...pools.keys()];
  const turns = new Map<string, number>();
  return {
    protocols: () => protocols,
    route: ({ protocol, method, only }) => {
      const able = (pools.get(protocol) ?? []).filter(
        ({ passage: { provider } }) =>
          provider.hasMethod(method) && (only === undefined || provider.id === only),
      );
      if (able.length === 1 && able[0] !== undefined) return able[0];
      // Counted for each method alone: calls that alternate would otherwise always meet the same provider.
      const name = `${protocol} ${method}`;
      const turn = (turns.get(name) ?? 0) % Math.max(1, able.length);
      const chosen = able[turn];
      if (chosen !== undefined) {
        turns.set(name, turn + 1);
        return chosen;
      }
      throw nobodyHas({ protocol, method, only });
    },
  };
}

/** There is room for everybody, so that one passage serves all. */
function passTo(provider: Provider): Extract<Routed, { word: 'go' }> {
  return { word: 'go', passage: { provider, leave: () => {} } };
}
