import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { serveReads } from './reading.ts';
import type { Peer } from './thread.ts';
import { Writer } from './writing.ts';

/**
 * Reading and writing on the thread that asks. Waiting for the disk stops everything else there, but nothing has to be
 * started: a command that ends in a moment spends less on all of its work than on two threads.
 */
export const onSameThread = {
  writer: (): Peer => peer((port) => void new Writer(port)),
  reader: (): Peer => peer(serveReads),
};

/** The same messages as between threads, so that nothing else is different. */
function peer(serve: (port: MessagePort) => void): Peer {
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  // Whoever waits for an answer keeps the process alive, not whoever might be asked.
  port2.unref();
  return {
    postMessage: (message) => port1.postMessage(message),
    // What is on the same thread does not end by itself.
    listen: ({ reply }) => void port1.on('message', reply),
    ref: () => port1.ref(),
    unref: () => port1.unref(),
    terminate: async () => port1.close(),
  };
}
