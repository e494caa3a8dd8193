import type { Json, JsonObject } from '../../core/json.ts';

/** What a service of the suite is asked to do, in the params of the call: so it works the same in another process. */
export type Direction =
  | { readonly do: 'echo'; readonly value: Json }
  | { readonly do: 'fail'; readonly how: 'final' | 'passing'; readonly message: string }
  | { readonly do: 'busy' }
  | { readonly do: 'garbage' }
  | { readonly do: 'cut' }
  | { readonly do: 'silence' }
  | { readonly do: 'hold'; readonly key: string }
  | { readonly do: 'release'; readonly key: string }
  | { readonly do: 'huge'; readonly characters: number }
  | { readonly do: 'seen' };

/** What the service then does, in no dialect. `busy` asks to be called again after seven seconds. */
export type Act =
  | { readonly act: 'result'; readonly value: Json }
  | { readonly act: 'error'; readonly how: 'final' | 'passing'; readonly message: string }
  | { readonly act: 'busy' | 'garbage' | 'cut' | 'silence' };

export const BUSY_MS = 7000;

type Seen = { readonly id: Json; readonly method: string; readonly headers: JsonObject };

/** The part of a service that is the same whatever dialect it speaks. */
export function createActor() {
  const seen: Seen[] = [];
  const held = new Map<string, () => void>();

  async function hold(key: string): Promise<Act> {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.set(key, resolve);
    await promise;
    return { act: 'result', value: 'released' };
  }

  return async function play(call: Seen, params: JsonObject): Promise<Act> {
    const asked = params as unknown as Direction;
    if (asked.do !== 'seen' && asked.do !== 'release') seen.push(call);
    switch (asked.do) {
      case 'echo':
        return { act: 'result', value: asked.value };
      case 'fail':
        return { act: 'error', how: asked.how, message: asked.message };
      case 'hold':
        return hold(asked.key);
      case 'release': {
        const release = held.get(asked.key);
        held.delete(asked.key);
        release?.();
        return { act: 'result', value: release !== undefined };
      }
      case 'huge':
        return { act: 'result', value: 'x'.repeat(asked.characters) };
      case 'seen':
        return { act: 'result', value: seen.slice() };
      default:
        return { act: asked.do };
    }
  };
}
