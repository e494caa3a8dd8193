import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chain, openPlace, type Place } from './place.ts';

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

describe('gleitzeit dev', () => {
  it('defines workflow files as they come, change and go, and runs them by name', async () => {
    place.write('one.gleitzeit.yaml', chain('one', [['a']]));
    place.write('other.yaml', chain('other', [['x']]));
    const dev = place.start('dev', 'other.yaml');
    await dev.said(/listens on http:\/\/127\.0\.0\.1:\d+/);
    await dev.said(/one\.gleitzeit\.yaml: "one" is version 1/);
    await dev.said(/other\.yaml: "other" is version 1/);
    const ran = await place.run('run', 'one', '-o', 'json');
    expect([ran.status, JSON.parse(ran.stdout).results], ran.stderr).toEqual([
      0,
      { a: { step: 'a', text: 'a done' } },
    ]);

    replace('one.gleitzeit.yaml', 'name: one\ntasks:\n  - id: a\n    protocol: steps/v1\n    metod: step\n');
    await dev.said(
      /one\.gleitzeit\.yaml is not taken; the version before stays\n(?:.*\n)*one\.gleitzeit\.yaml:5:5/,
    );
    expect((await place.run('run', 'one')).status).toBe(0);

    replace('one.gleitzeit.yaml', JSON.stringify(chain('one', [['a'], ['b']])));
    await dev.said(/"one" is version 2/);
    place.write('two.gleitzeit.json', chain('two', [['c']]));
    await dev.said(/two\.gleitzeit\.json: "two" is version 1/);
    rmSync(join(place.folder, 'two.gleitzeit.json'));
    await dev.said(/two\.gleitzeit\.json is gone; "two" stays defined/);

    const { stdout } = await place.run('run', 'one', '-o', 'json');
    expect(Object.keys(JSON.parse(stdout).results)).toEqual(['a', 'b']);
    dev.kill('SIGINT');
    expect((await dev.ended).status).toBe(0);
  });

  it('takes one file for a name, tells of the other with both paths, and takes that when the name is free', async () => {
    place.write('a.gleitzeit.yaml', chain('same', [['a']]));
    place.write('b.gleitzeit.yaml', chain('same', [['b']]));
    const dev = place.start('dev');
    await dev.said(/a\.gleitzeit\.yaml: "same" is version 1/);
    await dev.said(/b\.gleitzeit\.yaml is not taken: a\.gleitzeit\.yaml defines "same" already/);
    expect(await stepsOf('same')).toEqual(['a']);

    replace('b.gleitzeit.yaml', JSON.stringify(chain('same', [['b'], ['c']])));
    replace('a.gleitzeit.yaml', JSON.stringify(chain('other', [['a']])));
    await dev.said(/a\.gleitzeit\.yaml: "other" is version 1/);
    await dev.said(/b\.gleitzeit\.yaml: "same" is version 2/);
    expect(await stepsOf('same')).toEqual(['b', 'c']);
    expect(dev.stderr().match(/is not taken/g)).toHaveLength(1);
    expect(dev.stderr() + dev.stdout(), 'nobody looks, so nothing is coloured').not.toContain('\x1b');
  });

  it('tells of mistakes in colour where that is wanted, without a code that can be read', async () => {
    place.write('bad.gleitzeit.yaml', 'tsks: []\n');
    const dev = place.start('dev', '--color', 'always');
    await dev.said(/did you mean "tasks"/);
    expect(dev.stderr()).toContain('\x1b[31merror');
    expect(dev.stderr()).not.toContain('\u241b');
  });

  it('defines a batch anew when files come into its folder or go', async () => {
    place.write('texts/one.txt', 'one');
    place.write('batch.gleitzeit.yaml', {
      name: 'batch',
      batch: { directory: 'texts', pattern: '**/*.txt' },
      template: { protocol: 'steps/v1', method: 'step', params: { step: '${file.path}' } },
    });
    const dev = place.start('dev');
    await dev.said(/"batch" is version 1/);
    place.write('texts/two.txt', 'two');
    await dev.said(/"batch" is version 2/);
    place.write('texts/deeper/three.txt', 'three');
    await dev.said(/"batch" is version 3/);
    expect(await stepsOf('batch')).toHaveLength(3);
    rmSync(join(place.folder, 'texts'), { recursive: true });
    await dev.said(/batch\.gleitzeit\.yaml is not taken; the version before stays/);
    place.write('texts/four.txt', 'four');
    await dev.said(/"batch" is version 4/);
    expect(await stepsOf('batch')).toEqual(['process-four-txt']);
  });
});

async function stepsOf(name: string): Promise<string[]> {
  const { stdout, stderr } = await place.run('run', name, '-o', 'json');
  expect(stderr).not.toContain('gleitzeit:');
  return Object.keys(JSON.parse(stdout).results);
}

/** As editors do it: another file in the place of the old one. */
function replace(name: string, text: string): void {
  writeFileSync(join(place.folder, `.${name}.new`), text);
  renameSync(join(place.folder, `.${name}.new`), join(place.folder, name));
}
