import { createServer, type RequestListener } from 'node:http';

/** What is used of an application of express. */
export type Express = RequestListener & { use(path: string, handler: unknown): void };

/** Says `listening` on standard output when it can be called. */
export function listenOn(app: Express, port: number): void {
  createServer(app).listen(port, '127.0.0.1', () => process.stdout.write('listening\n'));
}
