import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { SharedService } from './desk.ts';

/** The address of a service that the whole run shares; the first who asks waits until it has started. */
export async function sharedService(name: SharedService): Promise<string> {
  const socket = createConnection(inject('serviceDesk'));
  socket.write(name);
  const answer: { readonly url?: string; readonly error?: string } = JSON.parse(await text(socket));
  if (answer.url === undefined) throw new Error(`${name} could not be started: ${answer.error}`);
  return answer.url;
}
