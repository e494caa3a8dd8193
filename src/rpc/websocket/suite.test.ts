import type { WebSocket } from 'ws';
import { channelSuite, type PeerOut, scriptedPeer } from '../channel.suite.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { systemTimers } from '../testing/timers.suite.ts';
import { webSocketChannel } from './channel.ts';
import { socketPeer } from './peer.suite.ts';

const random = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };

/** The scripted peer behind a WebSocket: a cut message is the first piece of one that never gets its second. */
function duplexOut(socket: WebSocket): PeerOut {
  return {
    send: (text) => socket.send(text),
    silence: () => {},
    cut: (beginning) => socket.send(beginning, { fin: false }, () => socket.terminate()),
  };
}

channelSuite('WebSocket', {
  kind: 'duplex',
  breaks: true,
  replies: true,
  open: async ({ max_message, notified }) => {
    const script = scriptedPeer();
    const peer = await socketPeer((socket) =>
      socket.on('message', (message) => script.receive(String(message), duplexOut(socket))),
    );
    const channel = webSocketChannel({
      url: peer.url,
      max_answer_bytes: max_message,
      max_message_bytes: max_message * 32,
      timers: systemTimers,
      random,
      logger: quiet.logger,
      ...(notified === undefined ? {} : { notified }),
    });
    const stop = async () => {
      await channel.close();
      await peer.close();
    };
    return { channel, stop };
  },
});
