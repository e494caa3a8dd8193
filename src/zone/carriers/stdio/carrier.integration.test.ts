import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../../embedded/system.ts';
import type { Carrier } from '../../carrier.ts';
import { silent } from '../sites.suite.ts';
import { stdioCarrier } from './carrier.ts';

let carrier: Carrier;
afterEach(() => carrier.close());

/** Answers one line with what stood on it and who it is, and ends. */
const once = `
  let text = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    if (!text.includes('\\n')) return;
    const [line] = text.split('\\n');
    const result = { line, pid: process.pid };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result }) + '\\n');
    process.stdin.destroy();
  });`;

async function ask(body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'ping' })) {
  const said = await carrier.send(body, { signal: new AbortController().signal });
  return (JSON.parse(said) as { readonly result: { readonly line: string; readonly pid: number } }).result;
}

function open(): void {
  carrier = stdioCarrier({
    ...{ command: [process.execPath, '--eval', once], environment: process.env },
    ...{ logger: silent, clock: systemClock, timers: systemTimers },
  });
}

it('a program that has ended is started again by the next request', async () => {
  open();
  const { pid } = await ask();
  // It is on its way out for a moment.
  const next = () =>
    ask()
      .then((said) => said.pid !== pid)
      .catch(() => false);
  await expect.poll(next, { timeout: 20_000 }).toBe(true);
});

it('a request is one line, whatever its line ends are', async () => {
  open();
  const id = randomUUID();
  const { line } = await ask(`{"jsonrpc":"2.0",\r\n"id":"${id}",\r"method":\n"ping"}`);
  expect(line).toBe(`{"jsonrpc":"2.0", "id":"${id}", "method": "ping"}`);
});
