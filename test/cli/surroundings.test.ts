import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';
import { isUnsafe } from '../../src/cli/output/clean.ts';
import { play } from '../../src/cli/play.suite.ts';
import { freePort } from '../services/free-port.ts';
import { type CliHouse, openCliHouse } from './house.ts';

const program = join(projectRoot, 'bin', 'gleitzeit.js');
const run = promisify(execFile);

let house: CliHouse;
let key: string;
let adminKey: string;
beforeAll(async () => {
  const made = await play(['token', 'create', '--role', 'viewer', '--name', 'looker', '-o', 'json']);
  const { key: secret, entry } = JSON.parse(made.out);
  key = secret;
  const admin = JSON.parse(
    (await play(['token', 'create', '--role', 'admin', '--name', 'boss', '-o', 'json'])).out,
  );
  house = await openCliHouse({ keys: [entry, admin.entry] });
  adminKey = admin.key;
});
afterAll(() => house.close());

const asked = (argv: string[], env: Record<string, string> = {}) =>
  play([...argv, '--server', house.server.url], { cwd: house.scene.folder, env });

describe('a server', () => {
  it('that is away: 3, and what to do', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { status, err } = await play(['list', '--server', url]);
    expect(status).toBe(3);
    expect(err).toContain(`no server can be reached at ${url} `);
    expect(err).toContain('gleitzeit serve');
    const told = await play(['list', '--server', url, '-o', 'json']);
    expect(JSON.parse(told.err).error.code).toBe('GLZ2002');
  });

  it('with another key, or none: 4; with one that may not: 4', async () => {
    const none = await asked(['list']);
    expect(none.status).toBe(4);
    expect(none.err).toContain('GLEITZEIT_KEY');
    expect((await asked(['list'], { GLEITZEIT_KEY: 'glz_wrong' })).status).toBe(4);
    expect((await asked(['list'], { GLEITZEIT_KEY: key })).status).toBe(0);
    const file = house.scene.write('key', `${key}\n`);
    chmodSync(file, 0o644);
    const open = await asked(['list', '--key-file', file]);
    expect([open.status, open.err]).toEqual([0, expect.stringContaining(`chmod 600 ${file}`)]);
    chmodSync(file, 0o640);
    expect((await asked(['list', '--key-file', file])).err).toContain('chmod');
    chmodSync(file, 0o600);
    expect((await asked(['list', '--key-file', file])).err).not.toContain('chmod');
    expect((await asked(['list', '--key-file', house.scene.write('empty', '\n')])).status).toBe(2);
    expect((await asked(['queue', 'pause'], { GLEITZEIT_KEY: key })).status).toBe(4);
  });

  it('that says nothing: 5, once the time is up', async () => {
    const mute = createServer(() => {});
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const { status, err } = await play([
      'list',
      '--server',
      `http://127.0.0.1:${port}`,
      '--timeout',
      '200ms',
    ]);
    expect(status).toBe(5);
    expect(err).toContain('--timeout');
    mute.close();
  });

  it('never shows the key, not even to --debug', async () => {
    const { err, out } = await asked(['list', '--debug'], { GLEITZEIT_KEY: key });
    expect(err + out).not.toContain(key);
    const shown = await asked(['config', 'show', '--debug'], { GLEITZEIT_KEY: key });
    expect(shown.out + shown.err).not.toContain(key);
    expect(shown.out).toMatch(/client\.key +\*\*\* +env GLEITZEIT_KEY/);
  });
});

describe('hostile data', () => {
  it('reaches no terminal as anything but text, in any format', async () => {
    const env = { GLEITZEIT_KEY: adminKey };
    // Names with control characters are refused; texts, results and the words of agents may hold anything.
    const name = 'turned \u202e round';
    const evil = '\u001b]0;pwned\u0007\u001b[2J\u009b31mred\r\u007f';
    const submit = ['submit', '--protocol', 'echo/v1', '--method', 'say', '--name', name, '--params'];
    const ids: string[] = [];
    for (const text of [evil, `fail ${evil}`]) {
      const { out } = await asked([...submit, JSON.stringify({ text }), '-o', 'name'], env);
      ids.push(out.trim());
      await asked(['result', out.trim(), '--wait'], env);
    }
    const looks = ids.flatMap((id) => [
      ['status', id],
      ['result', id],
      ['events', id],
    ]);
    for (const words of [...looks, ['list', '--tasks']]) {
      for (const format of ['table', 'json', 'jsonl', 'yaml', 'name']) {
        const seen = await asked([...words, '-o', format, '--color', 'never'], env);
        expect(seen.status).toBe(0);
        const shown = `${words.join(' ')} -o ${format}: ${seen.out}${seen.err}`.replaceAll(/[\n\t]/g, '');
        expect(isUnsafe(shown), shown).toBe(false);
      }
    }
    const [first = ''] = ids;
    expect(JSON.parse((await asked(['status', first, '-o', 'json'], env)).out).name).toBe(name);
    expect(JSON.parse((await asked(['result', first, '-o', 'json'], env)).out).result.text).toBe(evil);
    expect((await asked(['status', 'x\u001b[2Jx'], env)).err).toContain('"x␛[2Jx"');
  });
});

describe('the program itself', () => {
  const environment = { PATH: process.env['PATH'] ?? '' };

  it('ends quietly when nobody reads on', async () => {
    for (const text of ['a', 'b', 'c'])
      await asked(
        ['submit', '--protocol', 'echo/v1', '--method', 'say', '--params', JSON.stringify({ text })],
        {
          GLEITZEIT_KEY: adminKey,
        },
      );
    const env = { ...environment, GLEITZEIT_KEY: adminKey };
    const line = `"${process.execPath}" "${program}" events --server ${house.server.url} | head -1`;
    const { stdout, stderr } = await run('bash', ['--norc', '-c', line], { env });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toBe('');
  });

  it.each(['--version', '--help'])('ends quietly when nobody reads its %s', async (word) => {
    const child = spawn(process.execPath, [program, word], { env: environment });
    child.stdout.destroy();
    let told = '';
    child.stderr.on('data', (chunk) => {
      told += chunk;
    });
    expect([await once(child, 'close'), told]).toEqual([[0, null], '']);
  });

  it.runIf(process.platform === 'linux').each(['schema workflow', '--version'])(
    'says in one line that it cannot print, and ends with 1: %s',
    async (words) => {
      const line = `"${process.execPath}" "${program}" ${words} > /dev/full; echo $?`;
      const { stdout, stderr } = await run('bash', ['--norc', '-c', line], { env: environment });
      expect(stderr).toMatch(/^gleitzeit: cannot print: ENOSPC.*\n$/);
      expect(stdout).toBe('1\n');
    },
  );

  it('says in words that the folder it was started in is gone', async () => {
    const line = `cd "$(mktemp -d)" && rmdir "$PWD" && "${process.execPath}" "${program}" list; echo $?`;
    const { stdout, stderr } = await run('bash', ['--norc', '-c', line], { env: environment });
    expect(stderr).toBe('gleitzeit: the folder this was started in is not there any more\n');
    expect(stdout).toBe('1\n');
  });

  it('follows events until Ctrl-C, and ends with 130', async () => {
    const env = { ...environment, GLEITZEIT_KEY: adminKey };
    const child = spawn(
      process.execPath,
      [program, 'events', '-f', '--from', '0', '--server', house.server.url],
      { env },
    );
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
  });

  it('prints its version, and the same in a pipe with NO_COLOR', async () => {
    const { stdout } = await run(process.execPath, [program, '--version'], { env: environment });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const env = { ...environment, GLEITZEIT_SERVER_URL: house.server.url, GLEITZEIT_KEY: adminKey };
    const plain = await run(process.execPath, [program, 'protocol', 'list'], { env });
    const without = await run(process.execPath, [program, 'protocol', 'list'], {
      env: { ...env, NO_COLOR: '1' },
    });
    expect(plain.stdout).toBe(without.stdout);
    expect(plain.stdout).not.toContain('\u001b');
  });

  it('completes ids and the rest in bash', async () => {
    const env = { ...environment, GLEITZEIT_SERVER_URL: house.server.url, GLEITZEIT_KEY: adminKey };
    const script = `
      gleitzeit() { "${process.execPath}" "${program}" "$@"; }
      source <(gleitzeit completion bash)
      COMP_WORDS=(gleitzeit provider status ''); COMP_CWORD=3; _gleitzeit; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(gleitzeit que); COMP_CWORD=1; _gleitzeit; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(gleitzeit list --st); COMP_CWORD=2; _gleitzeit; echo "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', script], { env });
    expect(stdout).toBe('echo-1\nqueue\n--status\n');
  });
});
