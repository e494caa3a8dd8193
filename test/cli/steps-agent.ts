/* An agent for tests: writes down what it is asked before it does it. */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , folder = '.'] = process.argv;

type Params = { step: string; ms?: number; fail?: number; gate?: string; text?: string; told?: object[] };

const tries = new Map<string, number>();

const lines = createInterface({ input: process.stdin });
// Whoever started it is gone, also one that was killed: a gate that never opens must not keep it.
lines.on('close', () => process.exit());
lines.on('line', async (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer =
    method === 'step'
      ? await step(params as Params, (told) => say({ method: 'progress', params: { id, ...told } }))
      : { error: { code: -32601, message: `no method ${method}` } };
  say({ id, ...answer });
});

function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function step(
  { step, ms = 0, fail = 0, gate, text, told = [] }: Params,
  report: (told: object) => void,
): Promise<object> {
  appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify({ step, pid: process.pid })}\n`);
  for (const one of told) report(one);
  if (ms > 0) await sleep(ms);
  while (gate !== undefined && !existsSync(join(folder, gate))) await sleep(10);
  const tried = (tries.get(step) ?? 0) + 1;
  tries.set(step, tried);
  if (tried <= fail) return { error: { code: -32603, message: `${step} is busy` } };
  return { result: { step, text: text ?? `${step} done` } };
}
