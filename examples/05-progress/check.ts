/** Follows the story while it is told, and finds that all of it was heard, in bounded pieces, before the result was there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
rmSync(`${cwd}/.gleitzeit`, { recursive: true, force: true });

const run = ['run', 'workflow.gleitzeit.yaml', '--input', 'pause_ms=60', '--progress', 'json', '-o', 'json'];
const running = spawn(process.execPath, [program, ...run], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
const said = { out: '', err: '' };
running.stdout.on('data', (chunk) => {
  said.out += chunk;
});
running.stderr.on('data', (chunk) => {
  said.err += chunk;
});
const [code] = await once(running, 'close');
assert.equal(code, 0, said.err);

const { status, results } = JSON.parse(said.out);
assert.equal(status, 'completed');
assert.deepEqual(results.count, { words: 30 });

type Line = {
  readonly event?: string;
  readonly data?: { text?: string; progress?: number; message?: string };
};
const events = said.err
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line): Line => JSON.parse(line));
const told = events.filter(({ event }) => event === 'task:progress').map(({ data = {} }) => data);
const story = told.map(({ text = '' }) => text).join('');
assert.match(story, /^Once upon a time there was a fox\.\n/);
assert.equal(story, results.tell.story);
// 30 words at 60 ms: reports that come together are told together.
assert.ok(told.length >= 3 && told.length <= 15, `${told.length} events for 30 words`);
assert.equal(told.findLast(({ progress }) => progress !== undefined)?.progress, 30);
assert.equal(told.findLast(({ message }) => message !== undefined)?.message, 'comes to an end');
console.log(`30 words in ${told.length} pieces, and then the result`);
