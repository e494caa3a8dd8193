import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readProtocolsOnly } from '../../config/protocols-only.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import { workflowFileSchema } from '../../files/workflow/published.ts';
import { packageFile } from '../../main/package-file.ts';
import type { Invocation } from '../spec.ts';

const CONFIG = 'gleitzeit.yaml';
const SCHEMA = 'workflow.schema.json';
const templates = fileURLToPath(packageFile('templates/'));

/** Writes the files of a template into a folder. What is there stays as it is. */
export async function init({ arguments: [named = '.'], flags, cwd, io }: Invocation): Promise<void> {
  const template = templateOf(flags.text('template') ?? 'hello');
  const folder = resolve(cwd, named);
  refuseFile(folder, named);
  const files = readdirSync(join(templates, template), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(templates, template), join(entry.parentPath, entry.name)))
    .toSorted();
  const from = (file: string) => readFileSync(join(templates, template, file));
  const written = files.filter((file) => write(join(folder, file), from(file)));
  // What the first line of each workflow names, so that editors know the format without a network.
  if (write(join(folder, SCHEMA), `${JSON.stringify(workflowFileSchema, null, 2)}\n`)) written.push(SCHEMA);
  const kept = [...files, SCHEMA].filter((file) => !written.includes(file));
  await io.emit(
    { folder, template, written, kept },
    {
      table: () => written.map((file) => `${join(named, file)}\n`).join(''),
      names: written.map((file) => join(folder, file)),
    },
  );
  if (kept.length > 0) io.say(`Left as they are: ${kept.join(', ')}.`);
  const lacks = kept.includes(CONFIG) ? await lackingIn(join(folder, CONFIG), template) : [];
  if (lacks.length > 0)
    io.say(
      `The ${CONFIG} that is there does not have ${lacks.join(', ')}, which the workflow of "${template}" needs: ` +
        'take that over from the same template in an empty folder.',
    );
  io.say(nextCommands(named, files));
}

/** Protocols of the template that a configuration which was there before lacks; none where it cannot be read. */
async function lackingIn(file: string, template: string): Promise<string[]> {
  const namesIn = async (config: string) =>
    (await readProtocolsOnly(config, dirname(config))).protocols.map(({ name }) => name);
  try {
    const there = await namesIn(file);
    return (await namesIn(join(templates, template, CONFIG))).filter((name) => !there.includes(name));
  } catch {
    return [];
  }
}

function refuseFile(folder: string, named: string): void {
  if (!existsSync(folder) && dirname(folder) !== folder) refuseFile(dirname(folder), named);
  else if (!statSync(folder).isDirectory())
    throw new GleitzeitError('GLZ1012', `nothing can be written into ${named}`, {
      field: 'folder',
      reason: `${folder} is a file`,
      hint: 'name a folder; one that is not there is made',
    });
}

/** Whether it was written: a file that is there is never touched. */
function write(to: string, content: string | Uint8Array): boolean {
  if (existsSync(to)) return false;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, content, { flag: 'wx' });
  return true;
}

export function templateNames(): string[] {
  const entries = readdirSync(templates, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function templateOf(named: string): string {
  const known = templateNames();
  if (known.includes(named)) return named;
  throw new GleitzeitError('GLZ1012', `there is no template "${named}"`, {
    field: 'template',
    hint: didYouMean(named, known, 'templates'),
  });
}

function nextCommands(folder: string, files: readonly string[]): string {
  const workflow = files.find((file) => file.endsWith('.gleitzeit.yaml')) ?? '';
  const enter = folder === '.' ? [] : [`  cd ${quoted(folder)}`];
  return ['Next:', ...enter, `  gleitzeit run ${workflow}`, '  gleitzeit doctor', '  gleitzeit dev'].join(
    '\n',
  );
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w./~@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
