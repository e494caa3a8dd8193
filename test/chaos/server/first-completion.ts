import { get } from 'node:http';
import { createInterface } from 'node:readline';

type Told = { readonly event: string; readonly task_id: string; readonly data: { provider?: string } };

/** When the first task completed that this server's own provider was given after it came up. */
export function firstCompletion(url: string, provider: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const own = new Set<string>();
  const request = get(`${url}/events?events=task:routed,task:completed`, { agent: false }, (response) => {
    const lines = createInterface({ input: response });
    lines.on('line', (line) => {
      if (!line.startsWith('data: ')) return;
      const { event, task_id, data } = JSON.parse(line.slice(6)) as Told;
      if (event === 'task:routed' && data.provider === provider) own.add(task_id);
      if (event !== 'task:completed' || !own.has(task_id)) return;
      resolve(performance.now());
      request.destroy();
    });
    // It ends with the server, or with us.
    lines.on('error', () => {});
  });
  request.on('error', () => {});
  return promise;
}
