import type { Logger } from '../core/ports/logger.ts';
import type { FunctionContext } from '../dialects/function/provider.ts';
import type { MethodOf, ProtocolInput, ReceivedParamsOf, ResultOf } from '../registry/typed.ts';
import type { ProtocolPoolOptions, ProviderPoolOptions } from './pool-options.ts';

/** Where everything is kept. A relative path counts from the working folder. */
export type StoreOptions =
  | { readonly type: 'sqlite'; readonly path?: string }
  | {
      readonly type: 'postgres';
      readonly url: string;
      /** Where its tables live in the database; `gleitzeit` unless told. */
      readonly schema?: string;
    };

/** A function for each method of a protocol, in this process. */
export type FunctionProvider<P extends ProtocolInput> = P extends ProtocolInput
  ? ProviderPoolOptions & {
      readonly id: string;
      readonly protocol: P['name'];
      readonly methods: {
        readonly [M in MethodOf<P>]?: (
          params: ReceivedParamsOf<P, M>,
          context: FunctionContext,
        ) => ResultOf<P, M> | Promise<ResultOf<P, M>>;
      };
    }
  : never;

export type GleitzeitOptions<P extends ProtocolInput> = {
  readonly store?: StoreOptions;
  /** Their definitions; `pool` and `limits` beside one say how its calls are spread and held back. */
  readonly protocols: readonly (P & ProtocolPoolOptions)[];
  readonly providers: readonly FunctionProvider<P>[];
  /** Calls that run at the same time; 256 unless told. */
  readonly concurrency?: number;
  /** Days that finished runs are kept; 30 unless told. */
  readonly retention_days?: number;
  /** Milliseconds others wait before they take over from an engine that says nothing; 3,000 unless told. */
  readonly lease_ttl_ms?: number;
  /** Base64 keys for fields marked `x-secret`, the current one first; otherwise from a key file beside the store. */
  readonly secret_keys?: readonly string[];
  readonly logger?: Logger;
};
