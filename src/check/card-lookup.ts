import { isObject, type JsonObject } from '../core/json.ts';
import { parsed } from './envelope.ts';
import type { Evidence, Notice } from './finding.ts';
import type { Heard, Talk } from './talk.ts';

export type FoundCard = { readonly card: JsonObject; readonly evidence: Evidence };

const current = '.well-known/agent-card.json';
const older = '.well-known/agent.json';

/** The places where the card of an agent at this address may be, the likeliest first. */
function placesOf(base: URL): readonly { readonly url: URL; readonly older: boolean }[] {
  const folder = new URL(base.href);
  folder.search = '';
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  const bases = folder.pathname === '/' ? [folder] : [folder, new URL('/', folder)];
  return [
    ...bases.map((each) => ({ url: new URL(current, each), older: false })),
    ...bases.map((each) => ({ url: new URL(older, each), older: true })),
  ];
}

/** The card for clients of 1.0 and that for all others, which may be the same; none where there is no card. */
export async function findCards(talk: Talk, base: URL, notice: Notice): Promise<readonly FoundCard[]> {
  let first: Heard | null = null;
  for (const place of placesOf(base)) {
    const heard = await talk.say({ method: 'GET', url: place.url });
    // Nobody is there, or nobody who answers; where the answer is cut the agent itself is at fault.
    if (heard.trouble?.code === 'GLZ2002' || heard.trouble?.code === 'GLZ2003') throw heard.trouble;
    const card = heard.status === 200 ? readCard(heard) : null;
    first ??= heard;
    if (card === null) continue;
    if (place.older) notice('card-address', 'The card is only where A2A 0.2 had it.', first);
    if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(heard.type))
      notice('card-type', 'The card is not sent as JSON.', heard);
    const again = await talk.say({ method: 'GET', url: place.url, headers: { 'a2a-version': '1.0' } });
    const other = again.status === 200 ? readCard(again) : null;
    await askForAnother(talk, place.url, notice);
    const plain = { card, evidence: heard };
    return other === null ? [plain] : [plain, { card: other, evidence: again }];
  }
  if (first !== null) {
    if (first.status === 200) notice('card-json', 'What is at the address of the card is not a card.', first);
    else notice('card-found', 'It has no card.', first);
  }
  return [];
}

/** Who knows another card has to be shown this one. */
async function askForAnother(talk: Talk, url: URL, notice: Notice): Promise<void> {
  const heard = await talk.say({ method: 'GET', url, headers: { 'if-none-match': '"of-another-card"' } });
  if (heard.status === 304)
    notice('card-etag', 'It says that nothing changed to those who know another card.', heard);
}

function readCard({ text }: Heard): JsonObject | null {
  const value = text === null ? undefined : parsed(text);
  return isObject(value) ? value : null;
}
