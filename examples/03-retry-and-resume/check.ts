/** Kills the run with -9 while the parcel is on its way, goes on with it, and looks at what was really done. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
for (const left of ['.gleitzeit', 'deliveries.log'])
  rmSync(`${cwd}/${left}`, { recursive: true, force: true });

const run = ['run', 'workflow.gleitzeit.yaml', '--input', 'seconds=2'];
const first = spawn(process.execPath, [program, ...run, '--progress', 'json'], {
  cwd,
  stdio: ['ignore', 'pipe', 'pipe'],
});
const gone = once(first, 'exit');
for (const output of [first.stdout, first.stderr]) {
  createInterface({ input: output }).on('line', (line) => {
    if (line.includes('task:started') && done('pack done') > 0) first.kill('SIGKILL');
  });
}
const [, signal] = await gone;
assert.equal(signal, 'SIGKILL', 'it was to be killed half way');
assert.equal(done('deliver done'), 0);

const second = spawn(process.execPath, [program, ...run, '--resume', '-o', 'json'], {
  cwd,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let said = '';
second.stdout.on('data', (chunk) => {
  said += chunk;
});
const [code] = await once(second, 'close');
assert.equal(code, 0);
const { status, results } = JSON.parse(said);
assert.equal(status, 'completed');
assert.equal(results.bill.text, 'Paid: parcel with order of a book');
// What had finished before the kill was not done again; the delivery, of which nobody had heard, was.
const counts = ['order done', 'pack failed', 'pack done', 'bill done'].map(done);
assert.deepEqual(counts, [1, 2, 1, 1]);
console.log(`killed half way, and finished: ${results.bill.text}`);

function done(what: string): number {
  try {
    const lines = readFileSync(`${cwd}/deliveries.log`, 'utf8').split('\n');
    return lines.filter((line) => line.startsWith(what)).length;
  } catch {
    return 0;
  }
}
