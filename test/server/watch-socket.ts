import { WebSocket } from 'ws';
import type { WireEvent } from './logged-events.ts';
import { Watch, type Watching, type WatchOptions } from './watch.ts';

type Message =
  | { readonly id: number; readonly result: { subscription_id: string; cursor: number } }
  | { readonly id: number; readonly error: object }
  | { readonly method: 'event'; readonly params: WireEvent & { subscription_id: string } };

/** Follows events over WebSocket, and after each cut subscribes again with the newest cursor it has seen. */
export function watchSocket({ address, filter = {}, cursor }: WatchOptions): Watching {
  const watch = new Watch(cursor);
  let open: WebSocket | null = null;
  let over = false;

  const life = () => {
    const socket = new WebSocket(`ws://${address}/rpc`);
    open = socket;
    watch.connections++;
    let subscription: string | null = null;
    socket.on('open', () => {
      const from = watch.cursor === null ? {} : { cursor: watch.cursor };
      const params = { ...filter, ...from };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'event.subscribe', params }));
    });
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message;
      if ('error' in message) throw new Error(`event.subscribe: ${JSON.stringify(message.error)}`);
      if ('result' in message) {
        subscription = message.result.subscription_id;
        watch.begin(message.result.cursor);
      } else {
        const { subscription_id, ...event } = message.params;
        if (subscription_id !== subscription) throw new Error(`an event of ${subscription_id}, not our own`);
        watch.take(event);
      }
    });
    // A cut is an error first, and then the end: what is done about it is done at the end.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!over) life();
    });
  };
  life();
  return Object.assign(watch, {
    close() {
      over = true;
      open?.terminate();
    },
  });
}
