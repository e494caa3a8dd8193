import type { Socket } from 'node:net';

/** One JSON document a line, in both directions. */
export function onLines(socket: Socket, receive: (message: never) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(JSON.parse(line) as never);
  });
  // A killed engine tears its connections; what was lost with it is what the test is about.
  socket.on('error', () => {});
}

export function sendLine(socket: Socket, message: object): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

/** What the engine's process and the test say to each other. */
export type ToEngine =
  | { readonly kind: 'submit'; readonly id: number; readonly work: readonly Submission[] }
  | { readonly kind: 'executed'; readonly id: number; readonly result: number };
export type FromEngine =
  | { readonly kind: 'ready' }
  | { readonly kind: 'completed' }
  | { readonly kind: 'accepted'; readonly id: number; readonly tasks: readonly Accepted[] }
  | { readonly kind: 'refused'; readonly id: number; readonly error: string }
  | {
      readonly kind: 'execute';
      readonly id: number;
      readonly task_id: string;
      readonly attempt: number;
      readonly n: number;
    };

/** A task (`length` 1) or a chain of tasks, known by a key over all its repetitions. */
export type Submission = { readonly key: string; readonly n: number; readonly length: number };
export type Accepted = { readonly key: string; readonly task_ids: readonly string[] };
