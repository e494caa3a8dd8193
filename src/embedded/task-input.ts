import type { Json, JsonObject } from '../core/json.ts';
import type { Priority } from '../core/priority.ts';
import type { OnFailure } from '../core/records.ts';
import type { RetryConfig } from '../core/retry.ts';
import type { MethodOf, ProtocolInput, ResultOf, SubmitParamsOf } from '../registry/typed.ts';

/** Seconds, or text with its unit: `30s`, `250ms`, `PT30S`. */
export type Duration = number | string;

type RetryInput = Partial<Omit<RetryConfig, 'initial_delay' | 'max_delay' | 'max_total'>> & {
  readonly initial_delay?: Duration;
  readonly max_delay?: Duration;
  readonly max_total?: Duration | null;
};

type Common = {
  readonly name?: string;
  readonly priority?: Priority;
  readonly retry_config?: RetryInput;
  readonly timeout?: Duration;
  readonly total_timeout?: Duration | null;
};

type ParamsMember<Params> =
  Record<never, never> extends Params ? { readonly params?: Params } : { readonly params: Params };

type Call<P extends ProtocolInput, M extends MethodOf<P>> = {
  readonly protocol: P['name'];
  readonly method: M;
} & ParamsMember<SubmitParamsOf<P, M>>;

/** A call of one of the methods of one of the protocols, as the editor checks it. */
export type AnyCall<P extends ProtocolInput> = P extends ProtocolInput
  ? { [M in MethodOf<P>]: Call<P, M> }[MethodOf<P>]
  : never;

/** Something that one agent is told, by its name: in words, or as an object. */
type AgentCall = {
  readonly agent: string;
  readonly input?: string | JsonObject;
  readonly protocol?: never;
  readonly method?: never;
  readonly params?: never;
};

export type TaskInput<P extends ProtocolInput> = (AnyCall<P> | AgentCall) & Common;

/** Keys that no task has, so that the editor shows a misspelt one. */
export type NoOtherKeys<T> = {
  readonly [Key in Exclude<
    keyof T,
    keyof Common | 'id' | 'protocol' | 'method' | 'params' | 'agent' | 'input'
  >]: never;
};

/** Keys that the params of the call do not have, at any depth, for the same reason. */
export type NoOtherParams<P extends ProtocolInput, T> = T extends { readonly agent: string }
  ? unknown
  : T extends { readonly params: infer Given }
    ? { readonly params: NoOthers<Given, ParamsOfCall<P, T>> }
    : unknown;

type ParamsOfCall<P extends ProtocolInput, T> = P extends ProtocolInput
  ? T extends { readonly protocol: P['name']; readonly method: infer M extends MethodOf<P> }
    ? SubmitParamsOf<P, M>
    : never
  : never;

/** Where several forms are allowed, a key may be of any of them. */
type NoOthers<Given, Allowed> = Json extends Allowed
  ? unknown
  : Given extends readonly unknown[]
    ? { readonly [Index in keyof Given]: NoOthers<Given[Index], ItemOf<Allowed>> }
    : Given extends object
      ? {
          readonly [Key in keyof Given]: string extends Key
            ? unknown
            : Key extends KeyOf<Allowed>
              ? NoOthers<Given[Key], At<Allowed, Key>>
              : never;
        }
      : unknown;

type ItemOf<Allowed> = Allowed extends readonly (infer Item)[] ? Item : never;
type KeyOf<Allowed> = Allowed extends object ? keyof Allowed : never;
type At<Allowed, Key> = Allowed extends object ? (Key extends keyof Allowed ? Allowed[Key] : never) : never;

export type WorkflowInput<P extends ProtocolInput> = {
  readonly workflow_id?: string;
  readonly name?: string;
  readonly version?: string;
  readonly tasks: readonly (TaskInput<P> & {
    readonly id?: string;
    readonly dependencies?: readonly string[];
    /** Another word for `dependencies`. */
    readonly needs?: readonly string[];
    readonly on_failure?: OnFailure;
  })[];
};

/** What a call gives back, found by its protocol and method. Agents answer with an object of their own making. */
export type ResultOfCall<P extends ProtocolInput, T> = T extends { readonly agent: string }
  ? JsonObject
  : P extends ProtocolInput
    ? T extends { readonly protocol: P['name']; readonly method: infer M extends MethodOf<P> }
      ? ResultOf<P, M>
      : never
    : never;

declare const resultType: unique symbol;
/** The id of a task that remembers, for the editor only, what its result will be. */
export type TaskId<Result> = string & { readonly [resultType]?: Result };
