import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/source/files.ts';
import { installOnDebian, isInstalled } from '../services/debian.ts';
import { run } from '../services/process.ts';

export type Composed = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
};

const file = join(projectRoot, 'deploy/docker-compose.yml');

export async function needCompose(): Promise<void> {
  if (!(await isInstalled('docker-compose')))
    await installOnDebian('docker-compose', 'install docker-compose');
}

/** The services as `docker-compose config` understands them, with what stands in the given file of variables. */
export async function composed(folder: string, variables: Readonly<Record<string, string>>) {
  const env = join(folder, 'variables.env');
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(env, lines.join(''));
  const printed = await run('docker-compose', ['-f', file, '--env-file', env, 'config']);
  const { services }: { services: Record<string, Composed> } = parse(printed);
  return services;
}
