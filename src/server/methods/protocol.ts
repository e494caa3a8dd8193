import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { inside } from '../thrown.ts';

export function protocolHandlers({ protocols, router }: ControlParts): Handlers<Family<'protocol'>> {
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
      const reason = `no protocol is called "${name}"`;
      const known = protocols.list().map((protocol) => protocol.name);
      throw new GleitzeitError('GLZ1003', reason, {
        field: 'name',
        reason,
        hint: didYouMean(name, known, 'registered protocols'),
      });
    },
  };
}
