import { isObject } from '../core/json.ts';
import type { Asker } from '../rpc/http/ask.ts';
import { type CardNews, type Endpoint, lookAtCard } from './card.ts';
import { findCards } from './card-lookup.ts';
import { converse } from './conversation.ts';
import { parsed } from './envelope.ts';
import { type Finding, Findings, type Place } from './finding.ts';
import { call, type Line } from './line.ts';
import { comeAsNobody, lookAtManners } from './manners.ts';
import { makeMistakes } from './mistakes.ts';
import { lookAtPromises } from './promises.ts';
import { checkSimple, speaksSimple } from './simple.ts';
import { lookAtStreams } from './streams.ts';
import { type Talk, talkOver } from './talk.ts';
import { type Version, wires } from './wires.ts';

export type CheckOptions = {
  readonly url: URL;
  /** What the agent is to speak; `auto` for what it turns out to speak. */
  readonly protocol: 'auto' | 'a2a' | 'simple-a2a';
  /** What it is given to work on: three messages for each version, four of simple-a2a. */
  readonly text: string;
  /** Takes secrets out of what is shown. */
  readonly hide: (text: string) => string;
  /** How long one answer may take. */
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  readonly asker: Asker;
  /** For ids: other than those of every check before. */
  readonly run: string;
};

export type CheckReport = {
  readonly url: string;
  /** What it was found to speak. */
  readonly speaks: readonly Place[];
  readonly findings: readonly Finding[];
};

/** Talks to an agent as callers do, well and badly, and says what is not as it should be. Rejects where nobody answers. */
export async function checkAgent(options: CheckOptions): Promise<CheckReport> {
  const { url, protocol, asker, timeout_ms, signal, hide } = options;
  const findings = new Findings(hide);
  const talk = talkOver({ asker, timeout_ms, signal });
  const a2a =
    protocol === 'simple-a2a' ? { speaks: [], has_card: false } : await checkA2a(options, talk, findings);
  const speaks: Place[] = [...a2a.speaks];
  const simple = { ...options, talk, notice: findings.at('simple-a2a') };
  if (protocol === 'simple-a2a' || (protocol === 'auto' && (await speaksSimple(simple)))) {
    await checkSimple(simple);
    speaks.push('simple-a2a');
  }
  const found = findings.all();
  // Who speaks simple-a2a needs no card; who has one is called by it.
  const only = protocol === 'auto' && !a2a.has_card && speaks.length === 1 && speaks[0] === 'simple-a2a';
  const locked = found.some(({ rule }) => rule === 'access');
  if (speaks.length === 0 && !locked)
    findings.at('card')('speaks', 'It speaks nothing that is known here.', nothing(found));
  const counted = speaks.length === 0 ? findings.all() : found;
  return {
    url: url.href,
    speaks,
    findings: only ? counted.filter(({ place }) => place !== 'card') : counted,
  };
}

function nothing([first]: readonly Finding[]) {
  return { sent: first?.sent ?? '', came: first?.came ?? '' };
}

type A2aReport = { readonly speaks: readonly Place[]; readonly has_card: boolean };

async function checkA2a(options: CheckOptions, talk: Talk, findings: Findings): Promise<A2aReport> {
  const { url, text, run } = options;
  const cards = await findCards(talk, url, findings.at('card'));
  const news = cards.map((card) => lookAtCard(card, findings.at('card')));
  const lineTo = ({ version, url: place }: Endpoint): Line => {
    const wire = wires[version];
    return { wire, url: place, talk, notice: findings.at(wire.place), text, run };
  };
  const lines = cards.length === 0 ? await guessed(options, lineTo) : endpointsOf(news).map(lineTo);
  const known = {
    streams: news.some((each) => each.streams),
    pushes: news.some((each) => each.pushes),
    extended: news.some((each) => each.extended),
    secured: news.some((each) => each.secured),
    by_card: cards.length > 0,
  };
  const speaks: Place[] = [];
  for (const line of lines) if (await checkLine(line, known)) speaks.push(line.wire.place);
  return { speaks, has_card: cards.length > 0 };
}

/** Both cards together: what one of them names is named. */
function endpointsOf(news: readonly CardNews[]): readonly Endpoint[] {
  const found = new Map<Version, Endpoint>();
  for (const { endpoints } of news)
    for (const endpoint of endpoints) if (!found.has(endpoint.version)) found.set(endpoint.version, endpoint);
  return [...found.values()];
}

/** Without a card: what the agent answers to a question that every agent can answer. */
async function guessed(
  { url }: CheckOptions,
  lineTo: (endpoint: Endpoint) => Line,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const version of ['0.3', '1.0'] as const) {
    const line = lineTo({ version, url });
    const quiet = { ...line, notice: () => {} };
    const { heard } = await call(quiet, {
      method: line.wire.get,
      params: { id: `no-such-task-${line.run}` },
    });
    const value = heard.text === null ? undefined : parsed(heard.text);
    const error = isObject(value) ? value['error'] : undefined;
    const knows =
      isObject(value) && (value['result'] !== undefined || (isObject(error) && error['code'] !== -32601));
    if (knows) lines.push(line);
  }
  return lines;
}

type Known = Pick<CardNews, 'streams' | 'pushes' | 'extended' | 'secured'> & { readonly by_card: boolean };

/** False where nobody speaks that version here. */
async function checkLine(line: Line, known: Known): Promise<boolean> {
  const { streams, secured, by_card } = known;
  const { url, talk, notice } = line;
  if (by_card) {
    const there = await talk.say({ method: 'GET', url });
    if (there.trouble !== null && there.trouble.code !== 'GLZ2003') {
      notice('card-url', 'The address in the card cannot be called.', there);
      return false;
    }
  }
  const { spoken } = await converse(line);
  if (!spoken) return false;
  if (secured) await comeAsNobody(line);
  const usual = await makeMistakes(line);
  if (usual !== null) await lookAtManners(line, usual);
  await lookAtPromises(line, known);
  await lookAtStreams(line, streams);
  return true;
}
