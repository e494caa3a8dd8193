import type { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { RpcAnswer } from '../../rpc/channel.ts';
import { readEnvelope } from './wire/answers.ts';

/** What an agent said, before anybody has tried to understand it. */
export type Heard = {
  /** The request it should answer. */
  readonly id: string;
  /** JSON, or the beginning of what is none. */
  readonly said: Json;
  /** Why it is no JSON; null where it is. */
  readonly unusable: GleitzeitError | null;
  /** What it means where it is no word of JSON-RPC: its status, or the kind of its event, says that something is wrong. */
  readonly refused: GleitzeitError | null;
  readonly http_status?: number;
  readonly retry_after_ms?: number;
};

/** Its envelope, or an error of ours for what is no answer to the request. */
export function answerIn(heard: Heard): RpcAnswer {
  const { said, unusable, refused, id, http_status, retry_after_ms } = heard;
  if (unusable !== null) throw unusable;
  try {
    return {
      ...readEnvelope(said, id),
      ...(http_status === undefined ? {} : { http_status }),
      ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    };
  } catch (thrown) {
    throw refused ?? thrown;
  }
}
