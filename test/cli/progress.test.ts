import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/sdk/index.ts';
import { runCommand } from './command.ts';
import { misfits } from './house.ts';
import { chain, openPlace, type Place } from './place.ts';
import { onTerminal } from './terminal.ts';

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

const told = [
  { progress: 2, total: 5, message: 'reads \u001b[31mpages' },
  { text: 'the first line\nand the ' },
  { text: 'last words' },
];

describe('what a running task tells', () => {
  it('stands beside it on a terminal, and in status, until it ends', async () => {
    place.write('a.yaml', chain('a', [['one', { gate: 'go', told }]]));
    const command = runCommand(['run', 'a.yaml', '--color', 'never'], {
      cwd: place.folder,
      env: { TERM: 'xterm-256color' },
      wrap: onTerminal({ columns: 100, rows: 24 }),
    });
    try {
      await command.said(/one +running +\S+ s +40%, reads \[31mpages {2}and the last words/);
      const { stdout } = await place.run('list', '--tasks', '-o', 'json');
      const [{ task_id, workflow_id, progress }] = JSON.parse(stdout).items;
      expect(progress).toEqual({
        attempt: 1,
        progress: 2,
        total: 5,
        message: 'reads [31mpages',
        at: expect.any(String),
      });
      const text = (await place.run('status', task_id)).stdout;
      expect(text).toMatch(/Progress: +40%, reads \[31mpages\n/);
      expect(text).toMatch(/Output: +and the last words\n/);
      expect((await place.run('status', workflow_id)).stdout).toMatch(/one +executing .* 40%, reads/);
      for (const id of [task_id, workflow_id]) {
        const shown = JSON.parse((await place.run('status', id, '-o', 'json')).stdout);
        expect(misfits('status', shown)).toEqual([]);
      }
      writeFileSync(join(place.folder, 'go'), '');
      expect((await command.ended).status).toBe(0);
      const last = stripVTControlCharacters(command.stdout()).split('\n').slice(-6).join('\n');
      expect(last).toMatch(/one +completed/);
      expect(last).not.toContain('40%');
    } finally {
      command.kill('SIGKILL');
      await command.ended;
    }
  });

  it('is lines in a pipe, and events with --progress json', async () => {
    place.write('a.yaml', chain('a', [['one', { told }]]));
    const plain = await place.run('run', 'a.yaml', '--progress', 'plain', '-o', 'none');
    expect(plain.stderr).toMatch(
      / one: 40%, reads \[31mpages\n.* one: \| the first line\n.* one: \| and the last words\n.* one: completed/,
    );
    const json = await place.run('run', 'a.yaml', '--progress', 'json', '-o', 'json');
    const events = json.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const progress = events.filter(({ event }) => event === 'task:progress');
    expect(progress.map(({ data }) => data)).toEqual([
      {
        attempt: 1,
        progress: 2,
        total: 5,
        message: 'reads [31mpages',
        text: 'the first line\nand the last words',
      },
    ]);
    expect(JSON.parse(json.stdout).results).toEqual({ one: { step: 'one', text: 'one done' } });
  });

  it('reaches a client, which may ask for nothing else', async () => {
    place.write(
      'a.yaml',
      chain('a', [
        ['one', { told }],
        ['two', { told: [{ progress: 1 }] }],
      ]),
    );
    const server = place.start('serve');
    await server.said(/"message":"listening"/);
    const [, url = ''] = /"url":"([^"]+)"/.exec(server.stdout() + server.stderr()) ?? [];
    const client = connect({ url });
    const events = client.events({ events: ['task:progress'] });
    await events.subscribed();
    expect((await place.run('run', 'a.yaml', '--server', url)).status).toBe(0);
    const seen: unknown[] = [];
    for await (const event of events) {
      if (event.event !== 'task:progress') throw new Error('it asked for nothing else');
      seen.push([event.data.attempt, event.data.progress, event.data.text?.length]);
      if (seen.length === 2) break;
    }
    client.close();
    expect(seen).toEqual([
      [1, 2, 33],
      [1, 1, undefined],
    ]);
  });
});
