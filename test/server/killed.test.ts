import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoProtocol, settledTask, submitEcho } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;

beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** Answers with its number, and lives on when its input ends. */
const program = `
setInterval(() => {}, 1e6);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: process.pid }) + '\\n');
});`;

const askFor = async ({ url }: Server) => {
  const { result } = await settledTask(url, await submitEcho(url, 'who?'));
  return Number(result);
};

/** One that has ended and that nobody has looked after does not run. */
const runs = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

describe.runIf(process.platform === 'linux')('a server that is killed', () => {
  it('leaves its programs to the next one, which ends them', async () => {
    const command = ['node', scene.write('child.cjs', program)];
    const providers = [{ type: 'jsonrpc-stdio', config: { command } }];
    const config = { server: { port: 0 }, protocols: [{ ...echoProtocol, providers }] };
    const first = await scene.serve(config);
    const left = await askFor(first);
    first.signal('SIGKILL');
    await first.ended;
    expect(runs(left)).toBe(true);

    const second = await scene.serve(config);
    expect(second.log).toContainEqual(expect.objectContaining({ level: 'warn', programs: 1 }));
    await expect.poll(() => runs(left)).toBe(false);
    expect(await askFor(second)).not.toBe(left);
    second.signal('SIGTERM');
    await second.ended;
    expect(readdirSync(join(scene.folder, '.gleitzeit')).filter((name) => name.includes('programs'))).toEqual(
      [],
    );
  });
});
