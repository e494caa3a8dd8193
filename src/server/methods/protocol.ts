import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { inside } from '../thrown.ts';
import { viewStats } from './protocol-stats.ts';

export function protocolHandlers(parts: ControlParts): Handlers<Family<'protocol'>> {
  const { protocols, router, stats } = parts;
  return {
    'protocol.register': ({ protocol, replace = false }) =>
      inside('/protocol', async () => {
        const { name, version, methods } = await protocols.register(protocol, { replace });
        return { name, version, methods: Object.keys(methods) };
      }),

    'protocol.list': () => {
      const serving = Map.groupBy(router.providers(), ({ protocol }) => protocol);
      const items = protocols.list().map(({ methods, ...heading }) => ({
        ...heading,
        methods: Object.keys(methods),
        providers: (serving.get(heading.name) ?? []).map(({ id }) => id),
      }));
      return { items, next_cursor: null };
    },

    'protocol.get': ({ name }) => {
      const found = protocols.get(name);
      if (found !== undefined) return found;
      throw unknown(name, protocols.list());
    },

    'protocol.stats': async ({ name, window = 'hour' }) => {
      const report = await stats.report({ window, protocol: name ?? null });
      // One that is gone has been called all the same.
      if (name !== undefined && report.protocols.length === 0 && protocols.get(name) === undefined)
        throw unknown(name, protocols.list());
      return viewStats(window, report);
    },
  };
}

function unknown(name: string, known: readonly { readonly name: string }[]): GleitzeitError {
  const reason = `no protocol is called "${name}"`;
  const names = known.map((protocol) => protocol.name);
  return new GleitzeitError('GLZ1003', reason, {
    field: 'name',
    reason,
    hint: didYouMean(name, names, 'registered protocols'),
  });
}
