import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { play } from '../play.suite.ts';

let cwd: string;
let file: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-token-'));
  file = join(cwd, 'gleitzeit.yaml');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function created(name: string, role: string) {
  const { out } = await play(['token', 'create', '--role', role, '--name', name, '-o', 'json']);
  return JSON.parse(out) as { key: string; entry: { name: string; role: string; hash: string } };
}

async function write() {
  const ci = await created('ci', 'operator');
  const ann = await created('ann', 'admin');
  const lines = [ci, ann].map(
    ({ entry }) => `    - { name: ${entry.name}, role: ${entry.role}, hash: ${entry.hash} }`,
  );
  writeFileSync(file, ['server:', '  keys: # who may', ...lines, ''].join('\n'), { mode: 0o640 });
  return { ci, ann };
}

describe('token', () => {
  it('create prints the key alone on stdout', async () => {
    const { out, err, status } = await play(['token', 'create', '--role', 'viewer']);
    expect(status).toBe(0);
    expect(out).toMatch(/^\S+\n$/);
    expect(err).toContain('role: viewer');
    expect(err).not.toContain(out.trim());
  });

  it('list shows names, roles and hashes with their lines', async () => {
    const { ci } = await write();
    const { out } = await play(['token', 'list', '-o', 'json'], { cwd });
    expect(JSON.parse(out).items[0]).toEqual({ ...ci.entry, source: 'gleitzeit.yaml:3' });
    expect(out).not.toContain(ci.key);
    expect((await play(['token', 'list'], { cwd })).out).toMatch(/^ci +operator +gleitzeit\.yaml:3/m);
  });

  it('revoke takes one out, and leaves comments and the mode of the file', async () => {
    const { ann } = await write();
    const { status, err } = await play(['token', 'revoke', 'ci'], { cwd });
    expect(status).toBe(0);
    expect(err).toContain('refuses the key');
    const { name, role, hash } = ann.entry;
    expect(readFileSync(file, 'utf8')).toBe(
      `server:\n  keys: # who may\n    - { name: ${name}, role: ${role}, hash: ${hash} }\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const gone = await play(['token', 'revoke', 'cii'], { cwd });
    expect(gone.status).toBe(6);
  });

  it('revoke takes the last key out only by force, since nobody would be asked for one any more', async () => {
    const { entry } = await created('ann', 'admin');
    const text = `store:   {type: sqlite}\nserver:\n  keys: # all\n    - { name: ann, role: admin, hash: ${entry.hash} }\n`;
    writeFileSync(file, text);
    const refused = await play(['token', 'revoke', 'ann'], { cwd });
    expect(refused.status).toBe(8);
    expect(refused.err).toContain('takes whoever reaches it on loopback for its admin');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await play(['token', 'revoke', 'ann', '--force'], { cwd })).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('store:   {type: sqlite}\nserver:\n  keys: [] # all\n');
  });

  it('revoke writes the file that a link leads to', async () => {
    const { ann } = await write();
    mkdirSync(join(cwd, 'elsewhere'));
    const target = join(cwd, 'elsewhere', 'real.yaml');
    writeFileSync(target, readFileSync(file));
    rmSync(file);
    symlinkSync('elsewhere/real.yaml', file);
    expect((await play(['token', 'revoke', 'ci'], { cwd })).status).toBe(0);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain(ann.entry.hash);
    expect(readFileSync(target, 'utf8')).not.toContain('name: ci');
    expect(readdirSync(join(cwd, 'elsewhere'))).toEqual(['real.yaml']);
  });

  it('revoke leaves no server open to everybody', async () => {
    const { entry } = await created('ann', 'admin');
    const text = `server:\n  host: 0.0.0.0\n  keys:\n    - { name: ann, role: admin, hash: ${entry.hash} }\n`;
    writeFileSync(file, text);
    const { status, err } = await play(['token', 'revoke', 'ann', '--force'], { cwd });
    expect(status).toBe(8);
    expect(err).toContain('add another key first');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(cwd)).toEqual(['gleitzeit.yaml']);
  });
});
