/** What an agent was asked, as it came in. */
export type Asked = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
};

/** What an agent says. */
export type Given = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The connection is left open, or cut, after what is there of the body. */
  readonly end?: 'open' | 'cut';
};

/** What is said in which conversation: the card, an answer, events, or simple-a2a. */
export type Talk = 'card' | 'rpc' | 'stream' | 'simple';

export type Fault = {
  readonly name: string;
  /** What is wrong with the agent, as a sentence about it. */
  readonly about: string;
  /** The rule of the checker that must notice it. */
  readonly rule: string;
  /** Instead of asking the agent. */
  readonly instead?: (asked: Asked) => Given | undefined;
  /** What the agent gets in the place of what was asked. */
  readonly before?: (asked: Asked) => Asked;
  readonly after?: (given: Given, asked: Asked) => Given;
};

export function talkOf(asked: Asked, given?: Given): Talk {
  if (asked.method === 'GET') return 'card';
  if (given?.headers['content-type'] === 'text/event-stream') return 'stream';
  return !asked.body.includes('"jsonrpc"') && asked.body.includes('"task_id"') ? 'simple' : 'rpc';
}

/** Puts one text in the place of another, wherever that is said in such a conversation. */
export function swap(talk: Talk, from: RegExp | string, to: string): Pick<Fault, 'after'> {
  return {
    after: (given, asked) =>
      talkOf(asked, given) === talk
        ? { ...given, body: String(given.body).replaceAll(global(from), to) }
        : given,
  };
}

/** The same, where the method that was called is one of these. */
export function swapIn(methods: RegExp, from: RegExp | string, to: string): Pick<Fault, 'after'> {
  return {
    after: (given, asked) =>
      methods.test(asked.body) ? { ...given, body: String(given.body).replaceAll(global(from), to) } : given,
  };
}

const global = (pattern: RegExp | string) =>
  typeof pattern === 'string' ? pattern : new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`);

/** Answers such requests itself. */
export function whenAsked(pattern: RegExp, given: Given | ((asked: Asked) => Given)): Pick<Fault, 'instead'> {
  return {
    instead: (asked) => {
      if (asked.method !== 'POST' || !pattern.test(asked.body)) return undefined;
      return typeof given === 'function' ? given(asked) : given;
    },
  };
}

export function whenFetched(path: RegExp, given: Given): Pick<Fault, 'instead'> {
  return { instead: (asked) => (asked.method === 'GET' && path.test(asked.path) ? given : undefined) };
}

export const json = (value: unknown, status = 200): Given => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export const page = (status = 200): Given => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>Hello</body></html>',
});

/** The id of a request, where it can be read. */
export function idOf({ body }: Asked): unknown {
  try {
    return (JSON.parse(body) as { id?: unknown }).id ?? null;
  } catch {
    return null;
  }
}

export const rpcError =
  (code: number, message = 'no') =>
  (asked: Asked) =>
    json({ jsonrpc: '2.0', id: idOf(asked), error: { code, message } });
