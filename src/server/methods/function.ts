import type { JsonObject } from '../../core/json.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';

export function functionHandlers({ functions }: ControlParts): Handlers<Family<'function'>> {
  return {
    'function.list': () => {
      const items = Object.entries(functions()).map(([name, { protocol, method, params }]) => ({
        name,
        protocol,
        method,
        ...(params === undefined ? {} : { params: params as JsonObject }),
      }));
      return { items, next_cursor: null };
    },
  };
}
