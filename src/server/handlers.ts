import type { MethodName, ParamsOf, ResultOf } from '../api/methods.ts';
import type { Connection } from '../rpc/listener/route.ts';
import type { RawJson, RpcId } from '../rpc/messages.ts';

/** What a method is told besides its params. */
export type Call = {
  readonly connection: Connection;
  /** Aborts when whoever asked is gone. */
  readonly signal: AbortSignal;
  /** Undefined in a notification. */
  readonly id: RpcId | undefined;
};

/** `RawJson`: an answer that is text already, because it carries what the store keeps as text. */
export type Handlers<Names extends MethodName = MethodName> = {
  readonly [Name in Names]: (
    params: ParamsOf<Name>,
    call: Call,
  ) => ResultOf<Name> | RawJson | Promise<ResultOf<Name> | RawJson>;
};

/** The methods of a family: those whose names begin with it. */
export type Family<Prefix extends string> = Extract<MethodName, `${Prefix}.${string}`>;
