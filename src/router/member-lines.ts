import { lineName } from '../core/parked.ts';
import {
  isLeftInPeace,
  type Line,
  type LineKind,
  lineKinds,
  type RouteRequest,
} from '../core/ports/router.ts';
import { earliest, type Gate } from './gate.ts';
import { ofKey } from './line-turns.ts';
import { allowed, type Member, modelOf, rather } from './member.ts';
import { keyText } from './request-key.ts';
import type { LineSource, Patience } from './waiting-line.ts';

export type MemberLinesParts = {
  readonly protocol: string;
  readonly members: () => readonly Member[];
};

/** What calls wait in that no provider can take now, and where places for them come from. */
export class MemberLines {
  readonly #parts: MemberLinesParts;

  constructor(parts: MemberLinesParts) {
    this.#parts = parts;
  }

  /** One line for all methods while it is only places or tokens that are short; otherwise each method has its own. */
  lineFor(request: RouteRequest, serving: readonly Member[], now: number): [Line, LineSource] {
    const kinds = new Set(serving.map((member) => member.blocks(request.method, now)));
    const kind = lineKinds.find((one) => kinds.has(one)) ?? 'breaker';
    if (request.only !== undefined) return this.#onlyLine(kind, request, request.only);
    const forPlaces = kinds.size > 0 && ![...kinds].some(isLeftInPeace);
    const shared = forPlaces && serving.length === this.#parts.members().length;
    return this.#line(kind, shared ? null : request, serving);
  }

  /** What calls of every method wait in, as long as all providers have it. */
  sharedLine(now: number): Line {
    const members = this.#parts.members();
    const kinds = new Set(members.map((member) => member.sharedKind(now)));
    return this.#line(lineKinds.find((kind) => kinds.has(kind)) ?? 'breaker', null, members)[0];
  }

  get patience(): Patience | null {
    return leastPatient(this.#parts.members());
  }

  /** Every line that a call may have waited in. */
  linesFor(request: RouteRequest, now: number): [Line, LineSource][] {
    const { only } = request;
    if (only !== undefined) return lineKinds.map((kind) => this.#onlyLine(kind, request, only));
    const serving = this.#serving(request, now);
    const lines = lineKinds.flatMap((kind) =>
      (isLeftInPeace(kind) ? [request] : [null, request]).map((from) => this.#line(kind, from, serving)),
    );
    const fetched = serving.length < 2 ? [] : serving.filter(({ gate }) => gate.isFetched);
    return [
      ...lines,
      ...fetched.flatMap((member) =>
        (['concurrency', 'rate'] as const).map((kind) => this.#fetchLine(kind, member.connection.id)),
      ),
    ];
  }

  /** Whether one of them is called so in the store, where calls of that key wait in it. */
  isNamed(request: RouteRequest, name: string, { keyText, now }: { keyText: string | null; now: number }) {
    return this.linesFor(request, now).some(([line]) => lineName(ofKey(line, keyText)) === name);
  }

  /** What calls wait in for the moment in which a place or a token is fetched for the one that was chosen. */
  fetchLineFor(member: Member, now: number): [Line, LineSource] {
    return this.#fetchLine(member.sharedKind(now), member.connection.id);
  }

  /** Where it turns out that there is nothing to be fetched, they come to be sent elsewhere. */
  #fetchLine(kind: LineKind, id: string): [Line, LineSource] {
    const find = () => this.#parts.members().find(({ connection }) => connection.id === id);
    const source: LineSource = {
      room: (now) => {
        const member = find();
        const room = member?.room(null, now, false) ?? Number.POSITIVE_INFINITY;
        if (member === undefined || room > 0) return room;
        const stays = this.#parts.members().length === 1 || member.soon(null, now, false) > 0;
        if (stays) member.want(now);
        return stays ? 0 : Number.POSITIVE_INFINITY;
      },
      keep: (count, now) => {
        const member = find();
        const kept = Math.min(count, Math.max(0, member?.room(null, now, false) ?? 0));
        member?.gate.keep(kept, now);
        return (absent) => member?.gate.giveUp(Math.min(absent, kept));
      },
      nextAt: (now) => find()?.nextAt(null, now) ?? null,
      patience: () => null,
    };
    return [{ kind, key: fetchLineKey(id), fair: false }, source];
  }

  #line(kind: LineKind, request: RouteRequest | null, serving: readonly Member[]): [Line, LineSource] {
    const [only] = serving;
    const who =
      serving.length === 1 && only !== undefined
        ? fetchLineKey(only.connection.id)
        : `providers of ${this.#parts.protocol}`;
    const key =
      request === null ? who : `${who}${refusedText(request)} for ${request.method}${modelText(request)}`;
    return [{ kind, key, fair: false }, this.#source(request)];
  }

  /** Calls for one provider alone never stand in line with those that others can take: room there is none for them. */
  #onlyLine(kind: LineKind, request: RouteRequest, only: string): [Line, LineSource] {
    const key = `only ${only} for ${request.method}${modelText(request)}`;
    return [{ kind, key, fair: false }, this.#source(request)];
  }

  #able(request: RouteRequest | null): readonly Member[] {
    const members = this.#parts.members();
    return request === null
      ? members
      : allowed(members, request).filter((member) => member.isAble(request.method, request.params));
  }

  /** Whoever is not asked has no room for them either: they would be called in vain, again and again. */
  #serving(request: RouteRequest | null, now: number): readonly Member[] {
    const able = this.#able(request);
    return request === null ? able : rather(able, request, now);
  }

  #source(request: RouteRequest | null): LineSource {
    const method = request?.method ?? null;
    const rooms = (now: number) =>
      this.#serving(request, now).map((member) => ({
        member,
        room: Math.max(0, member.room(method, now, false)),
      }));
    const isGone = () =>
      request === null ? this.#parts.members().length === 0 : this.#able(request).length === 0;
    return {
      // Where nobody is left who has the method or the model, they come to hear of it.
      room: (now) => {
        if (isGone()) return Number.POSITIVE_INFINITY;
        const all = rooms(now);
        const sum = all.reduce((before, { room }) => before + room, 0);
        if (sum === 0) for (const { member } of all) member.want(now);
        return sum;
      },
      keep: (count, now) => {
        let left = count;
        const kept = rooms(now).map(({ member, room }) => {
          const here = Math.min(left, room);
          member.gate.keep(here, now);
          left -= here;
          return { gate: member.gate, here };
        });
        return (absent) => giveUp(kept, Math.min(absent, count));
      },
      nextAt: (now) => earliest(this.#serving(request, now).map((member) => member.nextAt(method, now))),
      patience: () => leastPatient(this.#able(request)),
    };
  }
}

/** Some may be given up now, and others later. */
function giveUp(kept: readonly { readonly gate: Gate; here: number }[], absent: number): void {
  let left = absent;
  for (const place of kept) {
    const gone = Math.min(left, place.here);
    place.gate.giveUp(gone);
    place.here -= gone;
    left -= gone;
  }
}

/** The line of one provider alone: where it is the only one of its pool, or what it needs for a call is fetched. */
export function fetchLineKey(id: string): string {
  return `provider ${id}`;
}

/** They stand in a line of their own: what the others there wait for is no room for them. */
function refusedText({ refused = [] }: RouteRequest): string {
  return refused.length === 0 ? '' : ` except ${[...new Set(refused)].sort().join(', ')}`;
}

function modelText({ params }: RouteRequest): string {
  const model = modelOf(params);
  return model === null ? '' : ` ${keyText('model', model)}`;
}

/** One without a rate may have room for somebody at any moment. */
function leastPatient(members: readonly Member[]): Patience | null {
  let least: Patience | null = null;
  for (const { gate } of members) {
    const { patience } = gate;
    if (patience === null) return null;
    if (least === null || patience.ms < least.ms) least = patience;
  }
  return least;
}
