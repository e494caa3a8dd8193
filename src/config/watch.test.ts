import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { findConfig } from './find.ts';
import { loadConfig } from './load.ts';
import { testFolder } from './testing.suite.ts';
import { watchConfig } from './watch.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Real ones, in more of a hurry. */
function quickTimers(): Timers {
  return {
    after: (ms, call) => {
      const timer = setTimeout(call, Math.min(ms, 20));
      return () => clearTimeout(timer);
    },
    soon: (call) => void setImmediate(call),
  };
}

async function watched(file: string) {
  const { hash } = await loadConfig({ file, env: {}, cwd: '/' });
  const waiting: (() => void)[] = [];
  let calls = 0;
  const watcher = watchConfig({
    file,
    hash,
    timers: quickTimers(),
    logger: silent,
    onChange: () => {
      calls += 1;
      waiting.shift()?.();
    },
  });
  onTestFinished(() => watcher.close());
  return {
    calls: () => calls,
    change: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
}

function written(text = 'server: {port: 1}\n'): string {
  const file = join(testFolder(), 'gleitzeit.yaml');
  writeFileSync(file, text);
  return file;
}

describe('watchConfig', () => {
  it('calls when the text changes, and not when the file is touched or something else changes', async () => {
    const file = written();
    const { calls, change } = await watched(file);
    const changed = change();
    utimesSync(file, new Date(), new Date());
    writeFileSync(file, 'server: {port: 1}\n');
    writeFileSync(`${file}.other`, 'x');
    writeFileSync(file, 'server: {port: 2}\n');
    await changed;
    expect(calls()).toBe(1);
  });

  it('survives editors that put a new file in the place of the old one', async () => {
    const file = written();
    const { change, calls } = await watched(file);
    for (const port of [2, 3]) {
      const changed = change();
      writeFileSync(`${file}~`, `server: {port: ${port}}\n`);
      renameSync(`${file}~`, file);
      await changed;
    }
    const changed = change();
    rmSync(file);
    writeFileSync(file, 'server: {port: 4}\n');
    await changed;
    expect(calls()).toBeGreaterThanOrEqual(3);
  });

  it('sees a link that is swapped, as mounted configurations are', async () => {
    const folder = testFolder();
    for (const name of ['one', 'two']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'gleitzeit.yaml'), `# ${name}\n`);
    }
    symlinkSync('one', join(folder, '..data'));
    const file = join(folder, 'gleitzeit.yaml');
    symlinkSync('..data/gleitzeit.yaml', file);
    const { change } = await watched(file);
    const changed = change();
    symlinkSync('two', join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
    await changed;
  });

  it('sees what changes where a link points, and where it points after it was swapped', async () => {
    const folder = testFolder();
    const targets = ['one', 'two'].map((name) => {
      mkdirSync(join(folder, name));
      const target = join(folder, name, 'real.yaml');
      writeFileSync(target, `# ${name}\n`);
      return target;
    });
    mkdirSync(join(folder, 'here'));
    const file = join(folder, 'here', 'gleitzeit.yaml');
    symlinkSync('../one/real.yaml', file);
    const { change } = await watched(file);
    const [one = '', two = ''] = targets;
    let changed = change();
    writeFileSync(one, '# one, changed\n');
    await changed;
    changed = change();
    symlinkSync('../two/real.yaml', `${file}.new`);
    renameSync(`${file}.new`, file);
    await changed;
    for (const text of ['# two, changed\n', '# two, again\n']) {
      changed = change();
      writeFileSync(two, text);
      await changed;
    }
  });

  it('sees a link of a folder further up that is swapped, also one behind another', async () => {
    const folder = testFolder();
    for (const name of ['one', 'two', 'three']) {
      mkdirSync(join(folder, 'releases', name, 'inner'), { recursive: true });
      writeFileSync(join(folder, 'releases', name, 'inner', 'gleitzeit.yaml'), `# ${name}\n`);
    }
    mkdirSync(join(folder, 'links'));
    symlinkSync('../releases/one', join(folder, 'links', 'newest'));
    symlinkSync(join(folder, 'links', 'newest'), join(folder, 'current'));
    const { change } = await watched(join(folder, 'current', 'inner', 'gleitzeit.yaml'));
    for (const [link, target] of [
      ['links/newest', '../releases/two'],
      ['current', 'releases/three'],
    ] as const) {
      const changed = change();
      symlinkSync(target, join(folder, 'new'));
      renameSync(join(folder, 'new'), join(folder, link));
      await changed;
    }
  });

  it('goes on after its folder was put away and made anew', async () => {
    const folder = join(testFolder(), 'inner');
    mkdirSync(folder);
    const file = join(folder, 'gleitzeit.yaml');
    writeFileSync(file, '# one\n');
    const { change } = await watched(file);
    for (const text of ['# two\n', '# three\n']) {
      const changed = change();
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      writeFileSync(file, text);
      await changed;
    }
  });

  it('notices what changed between reading and watching', async () => {
    const file = written();
    let noticed = () => {};
    const change = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    const watcher = watchConfig({
      file,
      hash: 'of something else',
      timers: quickTimers(),
      logger: silent,
      onChange: noticed,
    });
    await change;
    watcher.close();
  });

  it('waits for the editor to be done, and for nothing once it is closed', async () => {
    const file = written();
    const waits: { ms: number; open: boolean }[] = [];
    const timers: Timers = {
      after: (ms) => {
        const wait = { ms, open: true };
        waits.push(wait);
        return () => {
          wait.open = false;
        };
      },
      soon: () => {},
    };
    watchConfig({ file, hash: '', timers, logger: silent, onChange: () => {} }).close();
    expect(waits).toEqual([{ ms: 200, open: false }]);
  });

  it('is not put off by what else is written into the folder', async () => {
    const file = written();
    const waits: number[] = [];
    const timers: Timers = {
      after: (ms) => {
        waits.push(ms);
        return () => {};
      },
      soon: () => {},
    };
    const watcher = watchConfig({ file, hash: '', timers, logger: silent, onChange: () => {} });
    onTestFinished(() => watcher.close());
    const heard = Promise.withResolvers<void>();
    const other = watch(dirname(file), (_, name) => name === basename(file) && heard.resolve());
    onTestFinished(() => other.close());
    for (let line = 0; line < 50; line++) writeFileSync(`${file}.${line % 2}.log`, 'x');
    writeFileSync(file, '# changed\n');
    await heard.promise;
    expect(waits.length).toBeLessThan(10);
  });

  it('tries again where there is no folder to watch, and says so once', async () => {
    const folder = testFolder();
    const file = join(folder, 'later', 'gleitzeit.yaml');
    const warned: unknown[] = [];
    let noticed = () => {};
    const change = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    const logger = { ...silent, warn: (_: string, fields: unknown) => void warned.push(fields) };
    let tries = 0;
    const { promise: tried, resolve } = Promise.withResolvers<void>();
    const quick = quickTimers();
    const after: Timers['after'] = (ms, call) => {
      if (++tries === 3) resolve();
      return quick.after(ms, call);
    };
    const timers = { ...quick, after };
    const watcher = watchConfig({ file, hash: '', timers, logger, onChange: noticed });
    expect(warned).toEqual([{ file, reason: 'there is no such file' }]);
    await tried;
    expect(warned).toHaveLength(1);
    mkdirSync(join(folder, 'later'));
    writeFileSync(file, '# here\n');
    await change;
    watcher.close();
  });
});

describe('findConfig', () => {
  it('looks in the folder, then above it', () => {
    const folder = testFolder();
    const inner = join(folder, 'a', 'b');
    mkdirSync(inner, { recursive: true });
    expect(findConfig(inner)).toBe(null);
    writeFileSync(join(folder, 'gleitzeit.yaml'), '');
    expect(findConfig(inner)).toBe(join(folder, 'gleitzeit.yaml'));
    writeFileSync(join(inner, 'gleitzeit.config.json'), '');
    expect(findConfig(inner)).toBe(join(inner, 'gleitzeit.config.json'));
  });
});
