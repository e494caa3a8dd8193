import {
  type Bucket,
  exchanged,
  filled,
  fullBucket,
  inBucket,
  type RateLimit,
  type Taken,
  type Want,
} from './bucket.ts';

/** How many places of a limit an engine has, and whether it could use more. */
export type Claim = { readonly owner: string; readonly held: number; readonly hungry: boolean };

/**
 * How engines share limits: one, or those of many keys. Who is alone has everything as a `whole` and writes down no
 * claims; the first other one who wants something ends that.
 */
export type Sheet = {
  readonly whole: string | null;
  /** By the name of the limit; first those whose turn it is where places cannot be shared out evenly. */
  readonly claims: ReadonlyMap<string, readonly Claim[]>;
  /** Of limits on how many calls there are in a while: those that are not full. */
  readonly buckets: ReadonlyMap<string, Bucket>;
  /** When whoever has it as a whole wrote down what was taken, and may have gone on taking; null where that is all of it. */
  readonly at: number | null;
};

export const emptySheet: Sheet = { whole: null, claims: new Map(), buckets: new Map(), at: null };

/** What an engine wants of a limit. */
export type Demand = {
  readonly name: string;
  readonly most: number;
  /** Places that are taken, by calls and by those who were called. */
  readonly used: number;
  /** So many it would rather have than not, as long as nobody else needs them. */
  readonly keep: number;
  /** Somebody had to wait. */
  readonly hungry: boolean;
  /** It has had more than others for a while: now it is their turn. */
  readonly yields: boolean;
};

export type Grant = {
  /** Nobody else may use so many. */
  readonly held: number;
  /** So many it may use once calls that run have ended; what is held beyond it is given back by and by. */
  readonly goal: number;
  /** Somebody else could use what is not used here. */
  readonly contested: boolean;
  /** Others who could use as many have fewer. */
  readonly uneven: boolean;
  /** So many it may hope to get soon when it asks: others who could not use more give up what they do not use. */
  readonly hope: number;
};

export type Asking = {
  readonly owner: string;
  /** The engines there are; what others have is free. */
  readonly live: ReadonlySet<string>;
  /** Of every limit that this engine uses or wants to. */
  readonly demands: readonly Demand[];
};

export type Divided = { readonly sheet: Sheet; readonly grants: ReadonlyMap<string, Grant> };

/**
 * The sheet as this engine leaves it. It takes what is free up to its share, and gives back what it does not use when
 * others could; what others have stays theirs until they give it back, so that there are never more than `most`.
 */
export function divide(sheet: Sheet, { owner, live, demands }: Asking): Divided {
  const claims = livingClaims(sheet, live);
  const whole = sheet.whole !== null && live.has(sheet.whole) ? sheet.whole : null;
  const isShared = [...claims.values()].some((list) => list.some((claim) => claim.owner !== owner));
  const isAlone = whole === owner || (whole === null && live.size === 1);
  if (isAlone && !isShared)
    return { sheet: { ...sheet, whole: owner, claims: new Map() }, grants: new Map(demands.map(everything)) };
  const others = whole === null || whole === owner ? null : whole;
  const next = new Map<string, readonly Claim[]>();
  for (const [name, list] of claims)
    next.set(
      name,
      list.filter((one) => one.owner !== owner),
    );
  const grants = new Map<string, Grant>();
  for (const demand of demands) {
    const settled = settle(claims.get(demand.name) ?? [], demand, { owner, others });
    next.set(demand.name, settled.list);
    grants.set(demand.name, settled.grant);
  }
  for (const [name, list] of next) if (list.length === 0) next.delete(name);
  return { sheet: { ...sheet, whole: others, claims: next }, grants };
}

function everything({ name, most }: Demand): [string, Grant] {
  return [name, { held: most, goal: most, contested: false, uneven: false, hope: most }];
}

function livingClaims({ claims }: Sheet, live: ReadonlySet<string>): Map<string, readonly Claim[]> {
  return new Map([...claims].map(([name, list]) => [name, list.filter(({ owner }) => live.has(owner))]));
}

type Part = { readonly claim: Claim; readonly want: number; given: number };

/** `others`: one who still has everything as a whole, or null. */
function settle(
  list: readonly Claim[],
  { most, used, keep, hungry, yields }: Demand,
  { owner, others }: { owner: string; others: string | null },
): { list: readonly Claim[]; grant: Grant } {
  const rest = list.filter((claim) => claim.owner !== owner);
  const partOf = (claim: Claim): Part => ({ claim, want: claim.hungry ? most : claim.held, given: 0 });
  const me = partOf({ owner, held: used, hungry });
  const stays = !yields && rest.length < list.length;
  const line = stays
    ? list.map((claim) => (claim.owner === owner ? me : partOf(claim)))
    : [...rest.map(partOf), me];
  shareOut(line, most);
  const pressing = rest.filter((claim) => claim.hungry);
  const contested = pressing.length > 0;
  const goal = hungry || contested ? me.given : Math.min(most, Math.max(used, keep));
  const hope = Math.max(most - heldBy(pressing), Math.floor(most / (pressing.length + 1)));
  const taken = heldBy(rest);
  const held = others === null ? Math.max(used, Math.min(goal, most - taken)) : used;
  const uneven = hungry && line.some(({ claim, given }) => claim.hungry && given < me.given);
  const claims = line.map((part) => (part === me ? { owner, held, hungry } : part.claim));
  return {
    list: claims.filter((claim) => claim.held > 0 || claim.hungry),
    grant: { held, goal, contested, uneven, hope },
  };
}

function heldBy(claims: readonly Claim[]): number {
  return claims.reduce((sum, claim) => sum + claim.held, 0);
}

/** As even as what each wants allows; what is left over goes to the first. */
function shareOut(parts: readonly Part[], most: number): void {
  let left = most;
  let open = parts.filter(({ want }) => want > 0);
  while (left > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(left / open.length));
    for (const part of open) {
      const more = Math.min(each, left, part.want - part.given);
      part.given += more;
      left -= more;
    }
    open = open.filter(({ want, given }) => want > given);
  }
}

/** More are not remembered: those that are nearly full are forgotten first. */
export const MOST_BUCKETS = 2000;

/** Without those that nobody could tell from new ones. */
export function tidied(
  buckets: ReadonlyMap<string, Bucket>,
  limit: RateLimit,
  now: number,
): ReadonlyMap<string, Bucket> {
  const rest = [...buckets].filter(([, bucket]) => inBucket(bucket, limit, now) < limit.burst);
  if (rest.length <= MOST_BUCKETS) return new Map(rest);
  const left = ([, bucket]: [string, Bucket]) => filled(bucket, limit, now).tokens;
  return new Map(rest.sort((one, other) => left(one) - left(other)).slice(0, MOST_BUCKETS));
}

/**
 * Takes of many buckets as many tokens as there are, up to `count` of each; one that is not known is full. Where nothing
 * could be taken it stays as it was.
 */
export function takenTokens(
  buckets: ReadonlyMap<string, Bucket>,
  { wants, limit, now }: { wants: ReadonlyMap<string, Want>; limit: RateLimit; now: number },
): { readonly buckets: ReadonlyMap<string, Bucket>; readonly taken: ReadonlyMap<string, Taken> } {
  const next = new Map(buckets);
  const taken = new Map<string, Taken>();
  for (const [name, want] of wants) {
    const one = exchanged(next.get(name) ?? fullBucket(limit, now), limit, { ...want, now });
    taken.set(name, one);
    if (one.taken + want.back > 0) next.set(name, one.bucket);
  }
  return { buckets: next, taken };
}
