/** Seconds, or text with a unit: `250ms`. */
type Duration = number | string;

/** What somebody gets at most: calls at once, and in a while, as `10/s`. */
export type LimitOptions = {
  readonly concurrency?: number;
  readonly rate?: string;
  /** Calls that `rate` allows at once after a rest; what comes in a second unless given. */
  readonly burst?: number;
};

/** What a provider can be given besides its functions, in the words of the configuration. */
export type ProviderPoolOptions = {
  readonly weight?: number;
  readonly tier?: number;
  readonly zone?: string;
  readonly models?: readonly string[];
  /** None unless given. */
  readonly limits?: LimitOptions;
  readonly breaker?: {
    readonly failures?: number;
    readonly failure_rate?: number;
    readonly window?: Duration;
    readonly least_calls?: number;
    readonly cool_down?: Duration;
    readonly most_cool_down?: Duration;
    readonly probes?: number;
  };
  readonly health?: { readonly method: string; readonly every?: Duration; readonly timeout?: Duration };
};

/** How calls of a protocol are spread and held back, beside its definition. */
export type ProtocolPoolOptions = {
  readonly pool?: {
    readonly select?: 'latency' | 'round_robin' | 'least_in_flight' | 'sticky';
    readonly sticky_by?: string;
    readonly zone?: string;
    readonly hedge?: { readonly after?: Duration; readonly max?: number };
  };
  readonly limits?: LimitOptions & { readonly per_key?: LimitOptions & { readonly key: string } };
};

export const providerPoolWords = [
  'weight',
  'tier',
  'zone',
  'models',
  'limits',
  'breaker',
  'health',
] as const satisfies readonly (keyof ProviderPoolOptions)[];

export const protocolPoolWords = ['pool', 'limits'] as const satisfies readonly (keyof ProtocolPoolOptions)[];

/** Only what is said of pools; what is undefined is not said. */
export function wordsIn(given: object, words: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(given).filter(([key, value]) => words.includes(key) && value !== undefined),
  );
}
