import type { ServerResponse } from 'node:http';
import { channelSuite, type PeerOut, scriptedPeer } from '../channel.suite.ts';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { httpChannel } from './channel.ts';
import { bodyOf, httpPeer } from './peer.suite.ts';

/** The scripted peer behind an HTTP server: what it says is the body of the answer. */
function exchangeOut(response: ServerResponse): PeerOut {
  return {
    send: (text) => void response.end(text),
    silence: () => void response.writeHead(204).end(),
    cut: (beginning) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(beginning, () => response.destroy());
    },
  };
}

channelSuite('HTTP', {
  kind: 'exchange',
  breaks: true,
  open: async ({ max_message }) => {
    const script = scriptedPeer();
    const peer = await httpPeer(async (request, response) =>
      script.receive(await bodyOf(request), exchangeOut(response)),
    );
    const channel = httpChannel({
      url: peer.url,
      wall: Date.now,
      timers: manualTimers(),
      max_answer_bytes: max_message,
    });
    const stop = async () => {
      await channel.close();
      await peer.close();
    };
    return { channel, stop };
  },
});
