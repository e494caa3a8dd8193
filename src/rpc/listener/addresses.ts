import { chmod, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { GleitzeitError } from '../../core/errors.ts';

/** An address and port, or the path of a Unix socket that only its owner may use. */
export type ListenOn = { readonly host: string; readonly port: number } | { readonly socket_path: string };

export async function listenOn(server: Server, on: ListenOn): Promise<void> {
  if ('socket_path' in on) await listenOnPath(server, on.socket_path);
  // The name stands for two addresses, of which the server would take any one.
  else await listening(server, { host: on.host === 'localhost' ? '127.0.0.1' : on.host, port: on.port });
}

async function listenOnPath(server: Server, path: string): Promise<void> {
  if (await somebodyListens(path)) throw taken(path);
  await unlink(path).catch(() => {});
  // Narrow from the first moment on: to change it afterwards would leave a gap.
  const before = process.umask(0o177);
  const done = listening(server, { path });
  process.umask(before);
  await done;
  await chmod(path, 0o600);
}

/** A path that is left over from a process that died is nobody's. */
function somebodyListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

type Where = { readonly host: string; readonly port: number } | { readonly path: string };

function listening(server: Server, where: Where): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(cannotListen(error, where));
    server.once('error', failed);
    server.listen(where, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function cannotListen(error: Error, where: Where): GleitzeitError {
  const place = 'path' in where ? where.path : `${where.host}:${where.port}`;
  const { code } = error as { code?: unknown };
  if (code === 'EADDRINUSE') return taken(place);
  return new GleitzeitError('GLZ1012', `cannot listen on ${place}: ${error.message}`, {
    hint: code === 'EACCES' ? 'choose a port above 1023' : 'is that an address of this machine?',
  });
}

function taken(place: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `somebody listens on ${place} already`, {
    hint: 'stop the other process, or choose another port',
  });
}

export type Address = { readonly host: string; readonly port: number; readonly url: string };

export function addressOf(server: Server, on: ListenOn, secure: boolean): Address {
  if ('socket_path' in on) return { host: on.socket_path, port: 0, url: `unix:${on.socket_path}` };
  const bound = server.address();
  const port = bound === null || typeof bound === 'string' ? on.port : bound.port;
  const everywhere = on.host === '0.0.0.0' || on.host === '::';
  const name = everywhere ? 'localhost' : on.host.includes(':') ? `[${on.host}]` : on.host;
  return { host: on.host, port, url: `${secure ? 'https' : 'http'}://${name}:${port}` };
}
