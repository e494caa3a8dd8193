/**
 * What carries requests of the contract to the other zone and brings responses back. It owns authentication, retries, limits
 * of size and ids of sessions, and knows nothing of methods; the zones know nothing of it. `carrier.suite.ts` is what every
 * one must do.
 */
export interface Carrier {
  /** For logs: `https`, `agentcore`. */
  readonly name: string;
  /**
   * Resolves with the body that came back, whatever it says. Rejects with a `CarrierError` and nothing else: also where the
   * signal aborts, and once it is closed.
   */
  send(body: string, options: { readonly signal: AbortSignal }): Promise<string>;
  /** Rejects what is under way and everything that comes after. Safe to repeat. */
  close(): Promise<void>;
}

/**
 * What the serving side of a carrier hands bodies to. Always answers with one JSON-RPC response and never rejects: whatever
 * the bytes, and whatever goes wrong behind it.
 */
export type Endpoint = (
  body: Uint8Array,
  /** Aborts when whoever asked is gone or the carrier stops: what waits for a result is answered with what there is. */
  options?: {
    readonly signal?: AbortSignal;
    /** By the name of what was shown; null where nothing had to be. */
    readonly caller?: string | null;
  },
) => Promise<string>;

export const carrierTroubles = [
  /** No connection, or it broke. */
  'unreachable',
  /** The service took it and did not answer with a body of the contract: HTTP 500, or no text at all. */
  'broken',
  /** Neither key nor certificate nor signature was good enough. */
  'unauthenticated',
  /** It takes no more now, and did not after all retries. */
  'throttled',
  /** The request or the response is larger than it carries. */
  'too_large',
  /** The signal aborted. */
  'aborted',
  /** `close` was called. */
  'closed',
  /** It is set up in a way that cannot work. */
  'misconfigured',
] as const;

export type CarrierTrouble = (typeof carrierTroubles)[number];

export type CarrierErrorDetails = {
  readonly trouble: CarrierTrouble;
  /**
   * Whether the other zone may have the request. Where it may, the same request is sent again under the same id, never a new
   * one: the execution zone runs an id once.
   */
  readonly arrived: 'no' | 'maybe';
  readonly retry_after_ms?: number;
};

/** Its message names the carrier and the trouble, and quotes neither body nor credentials. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
  readonly trouble: CarrierTrouble;
  readonly arrived: 'no' | 'maybe';
  readonly retry_after_ms: number | null;

  constructor(message: string, details: CarrierErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.trouble = details.trouble;
    this.arrived = details.arrived;
    this.retry_after_ms = details.retry_after_ms ?? null;
  }

  /** Whether the same request may come through later. */
  get mayPass(): boolean {
    return this.trouble === 'unreachable' || this.trouble === 'throttled' || this.trouble === 'broken';
  }
}
