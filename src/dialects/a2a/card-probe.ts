import type { Probe, Probed } from '../../core/ports/provider.ts';
import { byStatus, type HttpProbeParts, httpProbe, withOwnClient } from '../http-probe.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { type CardPlace, type Looked, lookUpCard } from './card-lookup.ts';

type CardQuestion = {
  readonly places: readonly CardPlace[];
  /** What calls go by may be older than this. */
  readonly seen: (looked: Looked) => void;
};

/**
 * Asks an agent for its card, whatever is known of one: an agent whose card was read once may be gone since then. An agent
 * need not have a card, so that any answer in its place is a sign of life too.
 */
export function cardProbe(parts: HttpProbeParts, { places, seen }: CardQuestion): Probe {
  if (places.length === 0) return httpProbe(parts);
  return {
    asked: 'card',
    ask: (signal) => withOwnClient(parts, (web) => lookedFor(web, parts, { places, seen, signal })),
  };
}

type Looking = CardQuestion & { readonly signal: AbortSignal };

async function lookedFor(
  web: Parameters<Parameters<typeof withOwnClient>[1]>[0],
  { url: home, headers, secrets }: HttpProbeParts,
  { places, seen, signal }: Looking,
): Promise<Probed> {
  const statuses: number[] = [];
  const noting: Parameters<typeof lookUpCard>[0]['web'] = {
    request: async (request) => {
      const answer = await web.request(request);
      statuses.push(answer.status);
      return answer;
    },
  };
  const looked = await lookUpCard({ web: noting, home, headers, signal }, places);
  seen(looked);
  if (looked.is === 'unsure')
    return { well: false, error: withoutSecrets(looked.trouble.toRecord(), secrets()) };
  if (looked.is !== 'none') return { well: true, error: null };
  // Some agents fail for every address that they do not know: the best answer is the one that counts.
  return byStatus(Math.min(...statuses), home);
}
