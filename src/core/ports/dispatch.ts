import type { Answer } from '../answer.ts';
import type { Provider, ProviderCall } from './provider.ts';

/** How a routed call leaves: made here, or published for someone else to make. */
export interface Dispatch {
  send(provider: Provider, call: ProviderCall): Promise<Answer>;
}
