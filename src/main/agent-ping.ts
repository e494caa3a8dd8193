import type { AgentEntry } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Logger } from '../core/ports/logger.ts';
import { cardPlaces, lookUpCard } from '../dialects/a2a/card-lookup.ts';
import { byStatus } from '../dialects/http-probe.ts';
import type { ChannelFactories } from '../dialects/registry.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { AgentPing, Discovered } from '../server/parts.ts';
import { typeOf } from './agent-service.ts';
import { providerTls, type TlsFiles } from './provider-tls.ts';

const PATIENCE_MS = 5000;
const REDIRECTS = 3;
const MAX_NAME = 255;

export type Asked = { readonly timeout_ms?: number | undefined; readonly signal: AbortSignal };

/** Whether somebody is there: no task is sent, and nothing is shown of who asks. */
export async function pingAgent(
  entry: AgentEntry,
  tls: TlsFiles | null,
  { logger, ...asked }: Asked & { readonly logger: Logger },
): Promise<AgentPing> {
  const started = systemClock.monotonic();
  const home = new URL(entry.url);
  const type = typeOf(entry.protocol)?.type;
  const paths = type === 'a2a' || type === 'auto' ? cardPaths(home) : [home.pathname + home.search];
  let asking = '';
  try {
    const { lookAt } = await import('../rpc/http/look.ts');
    const look = lookAt(home, tls === null ? {} : { tls: providerTls(tls, logger) });
    const status = await within(asked, async (signal) => {
      let last = 0;
      for (const path of paths) {
        asking = `GET ${path}`;
        last = await look(path, signal);
        if (last < 400) break;
      }
      return last;
    });
    const error = byStatus(status, home).well ? null : `the agent answered HTTP ${status}`;
    const ms = systemClock.monotonic() - started;
    return { well: error === null, asked: asking, http_status: status, ms, error };
  } catch (thrown) {
    const { message } = GleitzeitError.from(thrown);
    const ms = systemClock.monotonic() - started;
    return { well: false, asked: asking, http_status: null, ms, error: message };
  }
}

function cardPaths(home: URL): string[] {
  return [...new Set(cardPlaces(home).map(({ url }) => url.pathname + url.search))];
}

/** What a card says, and how whoever has it could be registered. */
export async function discoverAgent(
  channels: Pick<ChannelFactories, 'web'>,
  { url, ...asked }: Asked & { readonly url: string },
): Promise<Discovered> {
  const home = addressOf(url);
  const web = channels.web({ url, tls: null, credentials: null, connections: 1, redirects: REDIRECTS });
  try {
    const looked = await within(asked, (signal) =>
      lookUpCard({ web, home, headers: () => ({}), signal }, cardPlaces(home)),
    );
    if (looked.is === 'unsure') throw looked.trouble;
    if (looked.is !== 'found') return withoutCard(home, url);
    const { card, raw, at } = looked.found;
    return {
      found: true,
      card_url: at.href,
      entry: {
        name: nameFrom(card.name, home),
        url,
        description: card.description ?? null,
        protocol: 'jsonrpc-2.0',
      },
      skills: card.skills.map(({ id, name, description = null }) => ({ id, name, description })),
      card: raw as JsonObject,
    };
  } finally {
    await web.close();
  }
}

function withoutCard(home: URL, url: string): Discovered {
  const entry = { name: home.hostname, url, description: null, protocol: 'simple-a2a' };
  return { found: false, card_url: null, entry, skills: [], card: null };
}

function nameFrom(name: string, home: URL): string {
  const usable = name
    .replaceAll(/[@\p{Cc}]/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .trim();
  return usable === '' ? home.hostname : usable;
}

function addressOf(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && url.username === '' && url.password === '') return url;
  const reason = url === null ? 'is no address' : 'names a user or a password';
  throw new GleitzeitError('GLZ1012', `url: ${reason}`, { field: 'url', reason });
}

async function within<Answer>(
  { timeout_ms = PATIENCE_MS, signal: outer }: Asked,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const stop = new AbortController();
  const late = new GleitzeitError('GLZ2003', `no answer within ${timeout_ms / 1000} s`);
  const cancel = systemTimers.after(timeout_ms, () => stop.abort(late));
  try {
    return await work(AbortSignal.any([stop.signal, outer]));
  } finally {
    cancel();
  }
}
