import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from './stage.ts';

const execute = promisify(execFile);
const sdk = new URL('../../src/sdk/index.ts', import.meta.url).href;

describe('a program that has used the client', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ seed: 1, origins: [] });
  });
  afterAll(() => stage?.close());

  /** How long the program lives on after its last line; Node ends by itself when nothing is left open. */
  async function lingers(lines: string): Promise<number> {
    const url = await stage.control.proxy({ to: 'open' });
    const code = `
      import { connect } from '${sdk}';
      const client = connect({ url: '${url}' });
      ${lines}
      const ended = Date.now();
      process.on('exit', () => console.log(Date.now() - ended));`;
    const { stdout } = await execute(process.execPath, ['--input-type=module-typescript', '-e', code], {
      timeout: 30_000,
    });
    return Number(stdout);
  }

  it('ends when it closes it in the middle of everything', async () => {
    const lines = `
      const step = { protocol: 'mixed/v1', method: 'step', params: { n: 1 } };
      const events = client.events();
      await events.subscribed();
      const { task_id } = await client.call('task.submit', step);
      const waits = [client.taskResult(task_id), client.runResults('nobody'), client.call('task.list'), events.next()];
      client.close();
      await Promise.allSettled(waits);`;
    expect(await lingers(lines)).toBeLessThan(1000);
  });

  it('ends soon when it forgets to', async () => {
    const lines = `
      const events = client.events();
      await events.subscribed();
      await client.call('system.info');
      await events.return();`;
    expect(await lingers(lines)).toBeLessThan(3000);
  });
});
