import { channelSuite } from '../channel.suite.ts';
import { programOf, surroundings } from '../testing/peer-process.suite.ts';
import { stdioChannel } from './channel.ts';

const peer = programOf('stdio-peer.suite.ts');

for (const framing of ['lines', 'headers'] as const) {
  channelSuite(`stdio in ${framing}`, {
    kind: 'duplex',
    breaks: true,
    replies: true,
    open: async ({ max_message, notified }) => {
      const channel = stdioChannel({
        ...surroundings,
        ...peer(framing),
        framing,
        limits: { max_message },
        notified,
      });
      return { channel, stop: () => channel.close() };
    },
  });
}
