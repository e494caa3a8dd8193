import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Patient enough for a busy machine to start a process again, and not for longer. */
export function writeTimeouts(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'gleitzeit-timeouts-')), 'timeout_policy.yaml');
  const lines = [
    'registration: 5s',
    'join: 5s',
    'move: 5s',
    'result: 10s',
    'match: 60s',
    'attempts: 5',
    'initial_delay: 200ms',
    'max_delay: 2s',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
