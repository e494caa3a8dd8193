/**
 * A peer that does what the request asks for, well-behaved or not, so that the channel suite can write its cases down
 * as data and run them against a function, a socket or a process of its own.
 */
export type PeerOut = {
  /** One whole message. Where every request has an exchange of its own, the first is its body. */
  send(text: string): void;
  /** The request was a notification: nothing to say. */
  silence(): void;
  /** The beginning of a message, and then the connection is gone. */
  cut(beginning: string): void;
};

export type ScriptedPeer = { receive(text: string, out: PeerOut): void };

type Asked = { readonly method: string; readonly params?: unknown; readonly id?: unknown };

export function scriptedPeer(): ScriptedPeer {
  const held: [Asked, PeerOut][] = [];
  const noted: unknown[] = [];
  let requests = 0;
  return {
    receive: (text, out) => {
      const asked = JSON.parse(text) as Asked;
      if (Array.isArray(asked)) throw new Error('a channel sends no batches');
      if (!Object.hasOwn(asked, 'id') || !Object.hasOwn(asked, 'method')) {
        noted.push(asked);
        out.silence();
        return;
      }
      requests++;
      if (asked.method === 'hold') held.push([asked, out]);
      else if (asked.method === 'release') release(held.splice(0), asked, out);
      else if (asked.method === 'noted') answer(asked, out, { noted, requests });
      else act(asked, out);
    },
  };
}

function answer({ id }: Asked, out: PeerOut, result: unknown): void {
  out.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** The last that came is answered first. */
function release(held: readonly [Asked, PeerOut][], asked: Asked, out: PeerOut): void {
  for (const [one, itsOut] of held.toReversed()) answer(one, itsOut, one.params ?? null);
  answer(asked, out, held.length);
}

function act(asked: Asked, out: PeerOut): void {
  const found = acts[asked.method];
  if (found === undefined) throw new Error(`the scripted peer knows no ${asked.method}`);
  found(asked, out, JSON.stringify(asked.id));
}

type Act = (asked: Asked, out: PeerOut, id: string) => void;

const acts: Readonly<Record<string, Act>> = {
  echo: (asked, out) => answer(asked, out, asked.params ?? null),
  fail: ({ params }, out, id) =>
    out.send(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify((params as unknown[])[0])}}`),
  // In the texts, $id stands for the id of this call.
  say: ({ params }, out, id) => {
    for (const text of params as string[]) out.send(text.replaceAll('$id', id));
  },
  fill: (asked, out) => answer(asked, out, 'x'.repeat(Number((asked.params as unknown[])[0]))),
  nest: (_, out, id) =>
    out.send(`{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  cut: (_, out, id) => out.cut(`{"jsonrpc":"2.0","id":${id},"resu`),
  say_nothing: () => {},
};
