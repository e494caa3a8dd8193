import type { Exchange } from '../exchange.ts';
import { conversations } from './conversations.ts';
import { requests } from './requests.ts';

/** In this order: some go on with what was before. */
export const exchanges: readonly Exchange[] = [...conversations, ...requests];
