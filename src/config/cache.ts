import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { duration, section, text } from './words.ts';

/** A copy of results that is quicker to ask than the store. */
export const cacheSchema = section(
  'Results that are asked for again come from here instead of the store, which has them all. Whatever becomes of it, nothing is lost.',
  {
    url: Type.Optional(
      text('a server of Redis; there is no cache without it', {
        pattern: '^rediss?://',
        'x-expected': 'an address that begins with redis:// or rediss://',
      }),
    ),
    username: Type.Optional(text('who it is told we are')),
    password: Type.Optional(text('what proves it: `${secrets.name}`, or `${NAME}`')),
    ttl: duration('how long a result is kept there', '10m', [1, 86_400]),
    prefix: text('what the names of its entries begin with; stores that share a server need different ones', {
      default: 'gleitzeit:result:',
      maxLength: 200,
    }),
  },
);

export type CacheSettings = Readonly<Static<typeof cacheSchema>>;
