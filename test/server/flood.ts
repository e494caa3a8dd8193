import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { JSON_HEADERS, requestText } from './ask.ts';

export type FloodOptions = {
  readonly port: number;
  /** Bad requests. */
  readonly per_second: number;
  /** Connections whose request never ends. */
  readonly half_open: number;
  readonly seconds: number;
};

export type FloodReport = {
  readonly sent: number;
  /** By status; each bad request has one. */
  readonly answered: Readonly<Record<string, number>>;
};

const LANES = 50;
const TICK_MS = 5;
const MOST_LATE_MS = 50;

/** Bad requests at a pace that does not wait for the server, beside uploads that do not end. */
export async function flood({ port, per_second, half_open, seconds }: FloodOptions): Promise<FloodReport> {
  const uploads = await Promise.all(
    Array.from({ length: half_open }, (_, index) => open(port, halfOpen[index % halfOpen.length] as string)),
  );
  const lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.open(port)));
  const alone: Promise<Lane>[] = [];
  const pace = new Pace(per_second);
  const until = performance.now() + seconds * 1000;
  let sent = 0;
  while (performance.now() < until) {
    for (let due = pace.due(); due > 0; due--) {
      const text = requests[sent % requests.length] as string;
      // What the server answers by ending the connection has one for itself.
      if (breaking.includes(text)) alone.push(Lane.once(port, text));
      else lanes[sent % LANES]?.send(text);
      sent++;
    }
    await pause(TICK_MS);
  }
  const all = [...lanes, ...(await Promise.all(alone))];
  await Promise.all(all.map((lane) => lane.answered()));
  for (const { socket } of all) socket.destroy();
  for (const upload of uploads) upload.destroy();
  return { sent, answered: countAll(all) };
}

/** So many a second. What was not sent in time is left out: sent later, it would all come at once. */
class Pace {
  readonly #per_ms: number;
  #last = performance.now();
  #rest = 0;

  constructor(per_second: number) {
    this.#per_ms = per_second / 1000;
  }

  due(): number {
    const now = performance.now();
    const due = this.#rest + Math.min(now - this.#last, MOST_LATE_MS) * this.#per_ms;
    this.#last = now;
    this.#rest = due % 1;
    return Math.floor(due);
  }
}

/** One connection that bad requests are sent on, one behind the other. */
class Lane {
  readonly socket: Socket;
  readonly statuses: string[] = [];
  #sent = 0;
  #rest = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => this.#read(chunk.toString('latin1')));
  }

  static async open(port: number): Promise<Lane> {
    return new Lane(await open(port, ''));
  }

  static async once(port: number, text: string): Promise<Lane> {
    const lane = await Lane.open(port);
    lane.send(text);
    return lane;
  }

  send(text: string): void {
    this.#sent++;
    this.socket.write(text);
  }

  /** Resolves when everything sent was answered; rejects when the server ended the connection before. */
  async answered(): Promise<void> {
    while (this.statuses.length < this.#sent) {
      if (this.socket.closed) throw new Error(`answered ${this.statuses.length} of ${this.#sent} and ended`);
      await new Promise((resolve) => this.socket.once('data', resolve).once('close', resolve));
    }
  }

  #read(chunk: string): void {
    const text = this.#rest + chunk;
    let end = 0;
    for (const { 0: found, 1: status = '', index } of text.matchAll(STATUS)) {
      this.statuses.push(status);
      end = index + found.length;
    }
    // The beginning of a status may have come with this packet, and its end comes with the next.
    this.#rest = text.slice(Math.max(end, text.length - STATUS_LENGTH + 1));
  }
}

const STATUS = /HTTP\/1\.1 (\d{3})/g;
const STATUS_LENGTH = 'HTTP/1.1 200'.length;

async function open(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  // Being cut off is what these are there for; who waits for an answer looks whether it is closed.
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}

function countAll(lanes: readonly Lane[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of lanes.flatMap(({ statuses }) => statuses)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function post(body: string, given: Readonly<Record<string, string>> = {}): string {
  const headers = {
    host: 'localhost',
    ...JSON_HEADERS,
    ...given,
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `POST /rpc HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

const info = requestText('system.info');
const task = { protocol: 'echo/v1', method: 'say', params: { text: 'x' } };

const breaking = [
  'this is no HTTP\r\n\r\n',
  'GET /rpc HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
];

const requests = [
  post('{"jsonrpc":"2.0",'),
  post('{"jsonrpc":"1.0","id":1,"method":"system.info"}'),
  post(requestText('no.such')),
  post(requestText('task.submit', { ...task, protocol: 'none/v1' })),
  post(requestText('task.submit', { ...task, params: { txet: 'x' } })),
  post(requestText('task.result', { task_id: 'nobody', wait: 1000 })),
  post(
    requestText('workflow.submit', { workflow: { name: 'w', tasks: [{ ...task, id: 'a', needs: ['a'] }] } }),
  ),
  post(`[${Array(100).fill('{"id":1}').join(',')}]`),
  post(`${'['.repeat(1000)}`),
  post(info, { 'content-type': 'text/plain' }),
  post(info, { host: 'evil.example' }),
  post(info, { origin: 'https://evil.example' }),
  post(info, { 'content-encoding': 'gzip' }),
  'GET /nothing/here HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'DELETE /rpc HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET /events?cursor=none HTTP/1.1\r\nhost: localhost\r\n\r\n',
  ...breaking,
];

const halfOpen = [
  'POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-ty',
  `POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n${' '.repeat(100_000)}`,
  'POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"jso',
];
