import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Posted = {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A chat as far as a bot sees it: it takes posts, and says when it takes no more for now. */
export type ChatStandIn = {
  readonly url: string;
  readonly posts: readonly Posted[];
  /** How often it was asked while it took nothing. */
  readonly refused: number;
  /** The next posts are refused, with so many seconds to wait. */
  refuse(posts: number, retry_after_s: number): void;
  /** From now on what is posted is answered with this error, where there is one: `not_in_channel`. */
  decline(errorOf: (body: Posted['body'], path: string) => string | null): void;
  /** Does this when the next post has come, and before that is answered. */
  meanwhile(work: () => Promise<unknown>): void;
  /** Once there are so many posts with this in their text. */
  until(words: string, count?: number): Promise<readonly Posted[]>;
  close(): Promise<void>;
};

export async function startChat(): Promise<ChatStandIn> {
  const posts: Posted[] = [];
  const waiting = new Set<() => void>();
  let meanwhile: (() => Promise<unknown>) | null = null;
  let errorOf: (body: Posted['body'], path: string) => string | null = () => null;
  const refusing = { left: 0, retry_after_s: 0, refused: 0 };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request);
    if (refusing.left > 0) {
      refusing.left--;
      refusing.refused++;
      response.writeHead(429, { 'retry-after': String(refusing.retry_after_s) }).end('{"ok":false}');
      return;
    }
    const body = JSON.parse(text) as Posted['body'];
    response.setHeader('content-type', 'application/json');
    const error = errorOf(body, request.url ?? '');
    if (error !== null) {
      response.end(JSON.stringify({ ok: false, error }));
      return;
    }
    posts.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    const work = meanwhile;
    meanwhile = null;
    await work?.();
    response.end(JSON.stringify({ ok: true, ts: `1700000000.${String(posts.length).padStart(6, '0')}` }));
    for (const look of waiting) look();
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = (words: string) => posts.filter(({ body }) => String(body['text']).includes(words));
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    get refused() {
      return refusing.refused;
    },
    refuse: (count, retry_after_s) => {
      refusing.left = count;
      refusing.retry_after_s = retry_after_s;
    },
    decline: (decide) => {
      errorOf = decide;
    },
    meanwhile: (work) => {
      meanwhile = work;
    },
    until: (words, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (found(words).length < count) return;
          waiting.delete(look);
          resolve(found(words));
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  return text;
}
