import { call } from './call.ts';

/** A protocol of one method that takes anything and answers anything. */
export const echoProtocol = {
  name: 'echo/v1',
  methods: { say: { params: { text: { type: 'string', required: true } } } },
} as const;

/** The whole of `protocols`: that protocol, behind one agent over HTTP or several. */
export function echoProtocols(providers: Readonly<Record<string, object>>): object[] {
  const listed = Object.entries(providers).map(([id, config]) => ({ id, type: 'jsonrpc-http', config }));
  return [{ ...echoProtocol, providers: listed }];
}

export async function submitEcho(url: string, text: string): Promise<string> {
  const task = { protocol: 'echo/v1', method: 'say', params: { text } };
  return (await call<{ task_id: string }>(url, 'task.submit', task)).task_id;
}

export type Settled = { readonly status: string; readonly result: unknown; readonly error: unknown };

export function settledTask(url: string, task_id: string): Promise<Settled> {
  return call<Settled>(url, 'task.result', { task_id, wait: 30_000 });
}
