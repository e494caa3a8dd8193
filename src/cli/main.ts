import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { GleitzeitError } from '../index.ts';
import { demo } from './demo.ts';
import { demoLife } from './demo-life.ts';

const help = `gleitzeit: durable workflows over any agent that speaks JSON-RPC 2.0

  gleitzeit demo [--json]   a workflow that is killed with -9 half way and finishes after the restart
  gleitzeit start           the same, on the embedded store
  gleitzeit --version
  gleitzeit --help
`;

/** Exit status: 0 the command did its job, 1 it failed, 2 it was called wrongly. */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.version) return say(`${version()}\n`);
  if (values.help) return say(help);
  const [command = 'help', ...rest] = positionals;
  if (command === 'help') return say(help);
  if (command === 'demo' || command === 'start') return demo({ json: values.json });
  if (command === 'demo-life') return demoLife({ folder: rest[0] ?? '', life: Number(rest[1]) });
  throw new UsageError(`unknown command "${command}"`);
}

class UsageError extends Error {}

function parse(args: readonly string[]) {
  try {
    const flag = { type: 'boolean', default: false } as const;
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: flag, version: flag, help: { ...flag, short: 'h' } },
    });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(manifest.version);
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (thrown: unknown) => {
    const error = GleitzeitError.from(thrown);
    const usage = thrown instanceof UsageError;
    process.stderr.write(`gleitzeit: ${error.message}\n${usage ? `\n${help}` : hintOf(error)}`);
    process.exitCode = usage ? 2 : 1;
  },
);

function hintOf(error: GleitzeitError): string {
  return error.details.hint === undefined ? '' : `  ${error.details.hint}\n`;
}
