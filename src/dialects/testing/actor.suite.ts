import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../../core/json.ts';

/** What a service of the suite is asked to do, in the params of the call: so it works the same in another process. */
export type Direction =
  | { readonly do: 'echo'; readonly value: Json }
  | { readonly do: 'fail'; readonly how: 'final' | 'passing'; readonly message: string }
  | { readonly do: 'busy' }
  | { readonly do: 'garbage' }
  | { readonly do: 'cut' }
  | { readonly do: 'silence' }
  /** An answer that begins and does not go on; the connection stays, or is cut. */
  | { readonly do: 'half' | 'half_cut' }
  /** A page for people, as a proxy answers that knows nothing of the service. */
  | { readonly do: 'page' }
  | { readonly do: 'hold'; readonly key: string }
  | { readonly do: 'release'; readonly key: string }
  | { readonly do: 'huge'; readonly characters: number }
  | { readonly do: 'seen' };

/** What the service then does, in no dialect. `busy` asks to be called again after seven seconds. */
export type Act =
  | { readonly act: 'result'; readonly value: Json }
  | { readonly act: 'error'; readonly how: 'final' | 'passing'; readonly message: string }
  | { readonly act: 'busy' | 'garbage' | 'cut' | 'silence' }
  | { readonly act: OverHttp };

/** What only answers that have a connection and a content type of their own can do. */
export type OverHttp = 'half' | 'half_cut' | 'page';

/** The same in every dialect over HTTP. Whether it was one of these. */
export function actOverHttp(response: ServerResponse, act: Act): boolean {
  if (act.act === 'page') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>It works!</h1>');
    return true;
  }
  if (act.act !== 'half' && act.act !== 'half_cut') return false;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"value":', () => {
    if (act.act === 'half_cut') response.destroy();
  });
  return true;
}

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
