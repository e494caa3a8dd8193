import { describe, expect, it, onTestFinished } from 'vitest';
import type { Channel } from '../channel.ts';
import { troubleOf } from '../testing/channel-harness.suite.ts';
import { surroundings } from '../testing/peer-process.suite.ts';
import { stdioChannel } from './channel.ts';

/** Answers with its process id; what it is asked for besides it does before. Lives on whatever becomes of its pipes. */
const program = `
const { closeSync } = require('node:fs');
setInterval(() => {}, 1e6);
process.stdin.on('error', () => {});
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'close_stdout') return closeSync(1);
  if (method === 'ignore') return;
  const answer = () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: process.pid }) + '\\n');
  if (method === 'close_stdin') process.stdin.once('close', () => (closeSync(0), answer())).destroy();
  else answer();
});`;

let calls = 0;
const ask = async (channel: Channel, method: string): Promise<unknown> => {
  const answer = await channel.call({ id: ++calls, method, signal: new AbortController().signal });
  return 'result' in answer ? answer.result : answer;
};

function opened(): Channel {
  const limits = { grace_ms: 300 };
  const channel = stdioChannel({
    ...surroundings,
    command: [process.execPath, '-e', program],
    framing: 'lines',
    limits,
  });
  onTestFinished(() => channel.close());
  return channel;
}

const lives = (pid: unknown) => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

describe('a child that lives on without', () => {
  it('its standard output is ended: its calls fail, and the next one starts another', async () => {
    const channel = opened();
    const first = await ask(channel, 'pid');
    const troubles = await Promise.all(
      ['ignore', 'close_stdout'].map((method) => troubleOf(ask(channel, method))),
    );
    for (const { code, message } of troubles)
      expect([code, message]).toEqual(['GLZ2002', expect.stringMatching(/closed its standard output$/)]);
    const second = await ask(channel, 'pid');
    expect(second).not.toBe(first);
    await expect.poll(() => lives(first)).toBe(false);
  });

  it('its standard input is ended as soon as it is asked something', async () => {
    const channel = opened();
    const first = await ask(channel, 'close_stdin');
    const { code, message } = await troubleOf(ask(channel, 'pid'));
    expect([code, message]).toEqual(['GLZ2002', expect.stringMatching(/closed its standard input$/)]);
    expect(await ask(channel, 'pid')).not.toBe(first);
    await expect.poll(() => lives(first)).toBe(false);
  });
});
