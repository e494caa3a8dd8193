import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Shared } from './shared.ts';

/** Lets everybody finish until the deadline, and ends what is left then. */
export async function stopServer(shared: Shared, server: Server, deadline_ms: number): Promise<void> {
  shared.closing = true;
  if (!server.listening) return;
  shared.beQuiet();
  const closed = once(server, 'close');
  server.close();
  shared.settled = () => server.closeIdleConnections();
  for (const lasting of [...shared.sockets, ...shared.streams]) lasting.finish();
  const dropDeadline = shared.timers.after(deadline_ms, () => {
    for (const lasting of [...shared.sockets, ...shared.streams]) lasting.destroy();
    server.closeAllConnections();
  });
  await closed;
  dropDeadline();
}
