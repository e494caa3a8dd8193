import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';
import { commandLine, type Instruction, instructionsOf, stagesOf } from './dockerfile.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const manifest: {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly peerDependencies: Readonly<Record<string, string>>;
} = JSON.parse(read('package.json'));
const instructions = instructionsOf(read('deploy/Dockerfile'));
const [build = [], image = []] = stagesOf(instructions);

const of = (stage: readonly Instruction[], word: string) =>
  stage.filter((instruction) => instruction.word === word).map(({ rest }) => rest);
/** What is copied from the project, not from another stage. */
const copied = (stage: readonly Instruction[]) =>
  of(stage, 'COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.split(/\s+/).slice(0, -1));

describe('deploy/Dockerfile', () => {
  it('has two stages on a Node that is recent enough', () => {
    expect(stagesOf(instructions).length).toBe(2);
    const [least = 0] = (manifest.engines.node.match(/\d+/) ?? []).map(Number);
    for (const from of of(instructions, 'FROM')) {
      const [, major = '0'] = /^node:(\d+)-slim(?: AS \w+)?$/.exec(from) ?? [];
      expect(Number(major), from).toBeGreaterThan(least);
    }
  });

  it('installs by the lockfile without running scripts, and builds as for publishing', () => {
    const [ci, made, pruned] = of(build, 'RUN');
    expect(ci).toMatch(/^npm ci --ignore-scripts /);
    expect(made).toBe('npm run build');
    expect(pruned).toMatch(/^npm install --ignore-scripts .*--omit=dev --omit=optional --save-prod /);
    const [, driver = ''] = /"(@[^@]+)@\$\(/.exec(pruned ?? '') ?? [];
    expect(Object.keys(manifest.peerDependencies)).toContain(driver);
  });

  it('copies what is there, and lets nothing else into the context', () => {
    const all = [...new Set([...copied(build), ...copied(image)])];
    for (const path of all) expect(existsSync(join(projectRoot, path)), path).toBe(true);
    const [nothing, ...let_in] = read('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(nothing).toBe('*');
    expect(let_in.map((line) => line.replace(/^!/, '')).sort()).toEqual(all.sort());
  });

  it('has in the image what the package has, but for documents', () => {
    const fromBuild = of(image, 'COPY').flatMap(
      (rest) => /^--from=build \/build\/(\S+)/.exec(rest)?.[1] ?? [],
    );
    const there = [...copied(image), ...fromBuild];
    const wanted = manifest.files.filter((path) => !/\.md$|^examples/.test(path));
    expect(there).toEqual(expect.arrayContaining([...wanted, 'node_modules', 'package.json']));
    expect(there).not.toContain('src');
  });

  it('does not run as root, says how it is, and is started without a shell', () => {
    const words = image.map(({ word }) => word);
    expect(of(image, 'USER')).toEqual(['node']);
    expect(words.indexOf('USER')).toBeLessThan(words.indexOf('ENTRYPOINT'));
    expect(of(image, 'HEALTHCHECK').length).toBe(1);
    expect(commandLine(of(image, 'ENTRYPOINT')[0] ?? '')).toEqual([
      'node',
      '/opt/gleitzeit/bin/gleitzeit.js',
    ]);
    expect(commandLine(of(image, 'CMD')[0] ?? '')[0]).toBe('serve');
  });

  it('is named with the version of the package, here and where it is used', () => {
    for (const file of ['deploy/Dockerfile', 'deploy/docker-compose.yml', 'deploy/kubernetes.yaml']) {
      const named = [...read(file).matchAll(/\bgleitzeit:(\d+\.\d+\.\d+)/g)].map(([, version]) => version);
      expect(new Set(named), file).toEqual(new Set([manifest.version]));
    }
  });
});
