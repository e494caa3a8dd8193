import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from './place.ts';
import { published } from './published.ts';

const templates = readdirSync(new URL('../../templates', import.meta.url));

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

describe('gleitzeit init', () => {
  it.each(templates)('%s runs as it is, and passes every check', async (template) => {
    const made = await place.run('init', 'here', '--template', template, '-o', 'json');
    expect(made.status, made.stderr).toBe(0);
    const { written, kept } = published('init', made.stdout);
    expect(kept).toEqual([]);
    const folder = join(place.folder, 'here');
    const workflow = written.find((file: string) => file.endsWith('.gleitzeit.yaml'));
    expect(readFileSync(join(folder, workflow), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=\.\/workflow\.schema\.json\n/,
    );
    expect(made.stderr).toContain(`gleitzeit run ${workflow}`);
    const inside = place.in('here');
    expect((await inside.run('validate', workflow)).status).toBe(0);
    const ran = await inside.run('run', workflow, '-o', 'json');
    expect([ran.status, ran.stderr], ran.stdout).toEqual([0, expect.stringMatching(/completed/)]);
    expect(JSON.parse(ran.stdout).status).toBe('completed');
    const { stdout } = await inside.run('doctor', 'config', 'providers', 'store', '-o', 'json');
    expect(JSON.parse(stdout).findings.filter(({ status }: { status: string }) => status !== 'ok')).toEqual(
      [],
    );
  });

  it('leaves what is there as it is', async () => {
    const before = readFileSync(join(place.folder, 'gleitzeit.yaml'), 'utf8');
    const { stdout } = await place.run('init', '-o', 'json');
    expect(JSON.parse(stdout).kept).toEqual(['gleitzeit.yaml']);
    expect(readFileSync(join(place.folder, 'gleitzeit.yaml'), 'utf8')).toBe(before);
    const again = await place.run('init', '-o', 'json');
    expect(JSON.parse(again.stdout).written).toEqual([]);
  });

  it('says what the configuration of another template lacks, and names all that was kept', async () => {
    await place.run('init', 'one', '--template', 'hello');
    const { stdout, stderr } = await place.run('init', 'one', '--template', 'pipeline', '-o', 'json');
    expect(JSON.parse(stdout).kept).toEqual(['gleitzeit.yaml', 'workflow.schema.json']);
    expect(stderr).toContain('Left as they are: gleitzeit.yaml, workflow.schema.json.');
    expect(stderr).toMatch(/The gleitzeit\.yaml that is there does not have \S+\/v1, which/);
    const again = await place.run('init', 'one', '--template', 'hello');
    expect(again.stderr).not.toContain('does not have');
  });

  it('prints a folder as a shell takes it, and refuses a file', async () => {
    const { stderr } = await place.run('init', "it's here");
    expect(stderr).toContain(`cd 'it'\\''s here'\n`);
    place.write('a-file', 'x');
    for (const named of ['a-file', 'a-file/deeper']) {
      const refused = await place.run('init', named);
      expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('a-file is a file')]);
    }
  });
});
