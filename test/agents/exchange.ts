export type Exchange = {
  readonly name: string;
  readonly method?: string;
  /** After the agent's address. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is where it is a text. `$name` stands for what an earlier exchange kept. */
  readonly body?: unknown;
  readonly status?: number;
  readonly type?: string | null;
  /** What the answer holds at least; for a stream, each of its events. */
  readonly answer?: unknown;
  /** The name under which the id of the task in the answer is kept. */
  readonly keep?: string;
};

export type Answered = {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, or the parsed events of a stream. */
  readonly value: unknown;
};

/** Sends one exchange and reads all of the answer. */
export async function perform(url: string, exchange: Exchange, kept: Map<string, string>): Promise<Answered> {
  const { method = 'POST', path = '', headers = {}, body } = exchange;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const filled = text?.replaceAll(/\$(\w+)/g, (word, name: string) => kept.get(name) ?? word);
  const type: Record<string, string> = method === 'POST' ? { 'Content-Type': 'application/json' } : {};
  const response = await fetch(url + path, {
    method,
    headers: { ...type, ...headers },
    ...(filled === undefined ? {} : { body: filled }),
  });
  const answered = await read(response);
  const id = idIn(answered.value);
  if (exchange.keep !== undefined && id !== undefined) kept.set(exchange.keep, id);
  return answered;
}

async function read(response: Response): Promise<Answered> {
  const type = response.headers.get('content-type');
  const text = await response.text();
  const value = type === 'text/event-stream' ? eventsOf(text) : text === '' ? null : JSON.parse(text);
  return { status: response.status, type, headers: response.headers, text, value };
}

function eventsOf(text: string): unknown[] {
  const blocks = text.split('\n\n').filter((block) => block.startsWith('data: '));
  return blocks.map((block) => JSON.parse(block.slice('data: '.length)));
}

type Shown = { readonly result?: { readonly id?: string; readonly task?: { readonly id?: string } } };

function idIn(value: unknown): string | undefined {
  const { result } = ((Array.isArray(value) ? value[0] : value) ?? {}) as Shown;
  return result?.task?.id ?? result?.id;
}

/** The same text for the same answer: ids by their order, times and ports left out. */
export function normalised(text: string): string {
  const ids = new Map<string, string>();
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  return text
    .replaceAll(uuid, (id) => {
      if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'time')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'agent');
}
