import { own } from '../core/json.ts';
import type { Clock } from '../core/ports/clock.ts';
import { type Line, type LineKind, lineKinds, type RouteRequest } from '../core/ports/router.ts';
import type { Keeps } from './keeps.ts';
import type { Member } from './member.ts';
import { keyText } from './request-key.ts';
import type { LineSource } from './waiting-line.ts';

export type MemberLinesParts = {
  readonly protocol: string;
  readonly clock: Clock;
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
    const shared = kinds.size > 0 && !kinds.has('breaker') && serving.length === this.#parts.members().length;
    return this.#line(kind, shared ? null : request, serving);
  }

  /** Every line that a call may have waited in. */
  linesFor(request: RouteRequest): [Line, LineSource][] {
    const serving = this.#serving(request);
    return lineKinds.flatMap((kind) =>
      (kind === 'breaker' ? [request] : [null, request]).map((from) => this.#line(kind, from, serving)),
    );
  }

  #line(kind: LineKind, request: RouteRequest | null, serving: readonly Member[]): [Line, LineSource] {
    const [only] = serving;
    const who =
      serving.length === 1 && only !== undefined
        ? `provider ${only.connection.id}`
        : `providers of ${this.#parts.protocol}`;
    const key = request === null ? who : `${who} for ${request.method}${modelOf(request)}`;
    return [{ kind, key, fair: false }, this.#source(request)];
  }

  #serving(request: RouteRequest | null): readonly Member[] {
    const members = this.#parts.members();
    return request === null
      ? members
      : members.filter((member) => member.isAble(request.method, request.params));
  }

  #source(request: RouteRequest | null): LineSource {
    const method = request?.method ?? null;
    const rooms = (now: number) =>
      this.#serving(request).map((member) => ({
        member,
        room: Math.max(0, member.room(method, now, false)),
      }));
    const isGone = () =>
      !this.#parts.members().some(({ connection }) => method === null || connection.hasMethod(method));
    return {
      // Where nobody is left who has the method, they come to hear of it.
      room: (now) =>
        isGone() ? Number.POSITIVE_INFINITY : rooms(now).reduce((sum, { room }) => sum + room, 0),
      keep: (count, until) => {
        let left = count;
        const kept = rooms(this.#parts.clock.monotonic()).map(({ member, room }) => {
          const here = Math.min(left, room);
          member.gate.keeps.add(here, until);
          left -= here;
          return { keeps: member.gate.keeps, here };
        });
        return (absent) => giveUp(kept, Math.min(absent, count));
      },
      nextAt: (now) => earliest(this.#serving(request).map((member) => member.nextAt(method, now))),
    };
  }
}

function giveUp(kept: readonly { readonly keeps: Keeps; readonly here: number }[], absent: number): void {
  let left = absent;
  for (const { keeps, here } of kept) {
    const gone = Math.min(left, here);
    keeps.drop(gone);
    left -= gone;
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function modelOf({ params }: RouteRequest): string {
  const model = own(params, 'model');
  return typeof model === 'string' ? ` ${keyText('model', model)}` : '';
}
