import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandProcess, runCommand } from './command.ts';
import { chain, openPlace, type Place } from './place.ts';
import { onTerminal } from './terminal.ts';

const CTRL_C = '\x03';

let place: Place;
let running: CommandProcess | null = null;
beforeEach(() => {
  place = openPlace();
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running?.ended;
  await place.close();
});

function onTty(...args: string[]): CommandProcess {
  running = runCommand(args, {
    cwd: place.folder,
    env: { TERM: 'xterm-256color' },
    wrap: onTerminal({ columns: 80, rows: 24 }),
  });
  return running;
}

describe('on a terminal', () => {
  it('draws the tree over itself, no line wider than the window, and leaves the last frame', async () => {
    const steps = chain('a', [['one', { ms: 300 }], ['two', { fail: 1 }], ['three']], {
      retry_config: { max_attempts: 3, initial_delay: '300ms', jitter: 0 },
    });
    place.write('a.yaml', steps);
    const command = onTty('run', 'a.yaml', '--color', 'never');
    expect((await command.ended).status).toBe(0);
    const text = command.stdout();
    expect(text).toContain('\x1b[');
    expect(text).toMatch(/↻ two.*retrying.*attempt 1\/3, again in/);
    const lines = stripVTControlCharacters(text).split(/\r?\n/);
    const { workflow_id } = JSON.parse((await place.run('list', '-o', 'json')).stdout).items[0];
    expect(lines.filter((line) => line.includes(workflow_id))).toEqual([`run ${workflow_id}`]);
    expect(lines[0]).toBe(`run ${workflow_id}`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.join('\n')).toMatch(
      /✓ one +completed .*\n *✓ two +completed .*\n *✓ three +completed[^\n]*\ncompleted, 3\/3 tasks/,
    );
  });

  it('leaves a run alone with Ctrl-C, says how to come back, and ends with 130', async () => {
    place.write('a.yaml', chain('a', [['one', { gate: 'go' }], ['two']]));
    const command = onTty('run', 'a.yaml');
    await command.said(/one .*running/);
    command.input(CTRL_C);
    await command.said(/Ctrl-C once more/);
    expect((await command.ended).status).toBe(130);
    const [, id = ''] = /gleitzeit watch ([\w-]+)/.exec(command.stdout()) ?? [];
    writeFileSync(join(place.folder, 'go'), '');
    const watched = await place.run('watch', id, '-o', 'json');
    expect([watched.status, JSON.parse(watched.stdout).status]).toEqual([0, 'completed']);
  });

  it('cancels it with a second one', async () => {
    place.write('a.yaml', chain('a', [['one', { gate: 'never' }]]));
    const command = onTty('run', 'a.yaml');
    await command.said(/one .*running/);
    command.input(CTRL_C);
    await command.said(/Ctrl-C once more/);
    command.input(CTRL_C);
    expect((await command.ended).status).toBe(130);
    expect(command.stdout()).toMatch(/was cancelled/);
    const { stdout } = await place.run('list', '-o', 'json');
    expect(JSON.parse(stdout).items[0].status).toBe('cancelled');
  });

  it('leaves a run on a server to the server', async () => {
    place.write('a.yaml', chain('a', [['one', { gate: 'go' }]]));
    const server = place.start('serve');
    await server.said(/"message":"listening"/);
    const command = onTty('run', 'a.yaml');
    await command.said(/one .*running/);
    command.input(CTRL_C);
    expect((await command.ended).status).toBe(130);
    const [, id = ''] = /gleitzeit watch ([\w-]+)/.exec(command.stdout()) ?? [];
    writeFileSync(join(place.folder, 'go'), '');
    const { status, stdout } = await place.run('watch', id, '-o', 'json');
    expect([status, JSON.parse(stdout).status]).toEqual([0, 'completed']);
    server.kill('SIGTERM');
    await server.ended;
  });

  it('a server ends with the terminal it was started in', async () => {
    const server = onTty('dev');
    await server.said(/listens on http:\/\/[\d.]+:\d+/);
    const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(server.stdout()) ?? [];
    expect((await fetch(`${url}/health`)).status).toBe(200);
    server.kill('SIGKILL');
    const answers = () =>
      fetch(`${url}/health`).then(
        () => true,
        () => false,
      );
    await expect.poll(answers, { timeout: 20_000 }).toBe(false);
  });
});
