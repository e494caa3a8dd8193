import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { WireEvent } from './logged-events.ts';
import { Watch, type Watching, type WatchOptions } from './watch.ts';

/** Follows server-sent events as a browser does: what is complete counts, and a cut is answered with Last-Event-ID. */
export function watchStream({ address, filter = {}, cursor }: WatchOptions): Watching {
  const watch = new Watch(undefined);
  const query = new URLSearchParams(filter);
  if (cursor !== undefined) query.set('cursor', String(cursor));
  let open: ClientRequest | null = null;
  let over = false;

  const life = () => {
    const headers = watch.cursor === null ? {} : { 'last-event-id': String(watch.cursor) };
    const request = get(`http://${address}/events?${query}`, { headers, agent: false });
    open = request;
    watch.connections++;
    request.on('response', (response) => read(response, watch));
    request.on('error', () => {});
    request.on('close', () => {
      if (!over) life();
    });
  };
  life();
  return Object.assign(watch, {
    close() {
      over = true;
      open?.destroy();
    },
  });
}

function read(response: IncomingMessage, watch: Watch): void {
  if (response.statusCode !== 200) throw new Error(`GET /events was answered with ${response.statusCode}`);
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) readBlock(block, watch);
  });
  response.on('error', () => {});
}

function readBlock(block: string, watch: Watch): void {
  const fields = new Map(block.split('\n').map((line) => splitOnce(line)));
  const id = fields.get('id');
  if (id === undefined) return;
  const data = fields.get('data');
  if (data === undefined) {
    watch.begin(Number(id));
    return;
  }
  const event = JSON.parse(data) as WireEvent;
  if (String(event.cursor) !== id || event.event !== fields.get('event'))
    throw new Error(`an event that is not what its block says: ${block}`);
  watch.take(event);
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
