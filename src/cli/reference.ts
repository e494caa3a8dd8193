import { commonOptions } from './common-options.ts';
import { exitsByCode } from './errors.ts';
import { type ExitName, exits } from './exits.ts';
import { argumentRow, type Chapters, type Groups, optionRow, usageOf } from './help.ts';
import { formats } from './output/formats.ts';
import type { CommandSpec, OptionSpec } from './spec.ts';

export type ReferenceParts = {
  readonly specs: readonly CommandSpec[];
  readonly chapters: Chapters;
  readonly groups: Groups;
};

/** The page that tells of every command, made from their specs. */
export function cliReference({ specs, chapters, groups }: ReferenceParts): string {
  const shown = specs.filter(({ hidden }) => !hidden);
  const parts = chapters.map(({ title, commands }) => {
    const told = commands.flatMap((name) => {
      const inGroup = shown.filter((spec) => spec.name === name || spec.name.startsWith(`${name} `));
      const about =
        groups[name] === undefined || inGroup.length === 0
          ? []
          : [`### gleitzeit ${name}\n\n${groups[name]}.`];
      return [
        ...about,
        ...inGroup.map((spec) => commandPart(spec, groups[name] === undefined ? '###' : '####')),
      ];
    });
    return [`## ${title}`, ...told].join('\n\n');
  });
  return `${[head, ...parts, commonPart(), outputPart(), exitPart(), environmentPart(shown)].join('\n\n')}\n`;
}

const head = `# The command line

Made from the specs in \`src/cli/specs\`; \`gleitzeit <command> --help\` says the same.

\`gleitzeit\` talks to a server where \`--server\` or \`GLEITZEIT_SERVER_URL\` names one; otherwise to whoever holds the local
store, which its lock says; otherwise it opens the store itself, for as long as the command takes. What only looks works
nothing off. An id is a run's or a task's: the program finds out which, and among the newest a beginning of at least eight
characters is enough where it fits only one.`;

function commandPart(spec: CommandSpec, mark: string): string {
  const { name, summary, description, options = [], examples, output, formats: own = [] } = spec;
  const lines = [
    `${mark} gleitzeit ${name}`,
    `${capital(summary)}.${description === undefined ? '' : ` ${description}`}`,
    ['```sh', ...examples.flatMap(({ command, says }) => [`# ${says}`, command]), '```'].join('\n'),
    `Usage: \`${usageOf(spec)}\``,
    table(
      ['argument', 'meaning'],
      (spec.arguments ?? []).map(argumentRow).map(([name, says]) => [code(name), says]),
    ),
    table(['option', 'meaning'], options.map(optionCells)),
    output === null
      ? 'Prints no data.'
      : `Prints with \`-o json\`: \`${output}\` of [output.json](../../schemas/output.json).` +
        (own.length === 0 ? '' : ` \`-o\` also takes ${own.map(code).join(', ')}.`),
    `Ends with ${exitsOf(spec)
      .map((one) => `${exits[one].status} ${words(one)}`)
      .join(', ')}.`,
  ];
  return lines.filter((line) => line !== '').join('\n\n');
}

/** Every way it can end, the common ones first. */
export function exitsOf({ exits: more }: CommandSpec): ExitName[] {
  const all = new Set<ExitName>(['ok', 'failure', 'usage', ...more]);
  return [...all].sort((a, b) => exits[a].status - exits[b].status);
}

function commonPart(): string {
  return `## Common options\n\nEvery command takes them, before or after its name.\n\n${table(['option', 'meaning'], commonOptions.map(optionCells))}`;
}

function outputPart(): string {
  return `## Output

Data goes to stdout, everything else to stderr. What is printed depends on \`-o\`, never on whether a terminal is there;
only colours, the width of tables and redrawing do. Control characters in data are shown as signs or escaped.

Whoever reads may stop: a pipe that is closed ends a command quietly, with 0, but \`run\`, \`watch\` and \`result\` go on and
end by what became of the run. A disk that is full ends a command with 1. An output that is closed from the start (\`>&-\`) is
the same as \`/dev/null\`, since Node opens that in its place: the command does its work, and nobody hears what came of it.

${table(
  ['format', 'meaning'],
  formats.map((name) => [code(name), formatMeanings[name]]),
)}

\`--fields name,status,error.message\` keeps only these fields of each item, and makes them the columns of a table.

With \`-o json\` and \`-o jsonl\` an error is one line on stderr, otherwise it is told in words:

\`\`\`json
{"error":{"code":"GLZ1010","message":"there is no run and no task \\"x\\"","field":"id","hint":"gleitzeit list shows runs"}}
\`\`\`

\`problems\` in it lists everything that is wrong with a file, each with line and column. The codes are in
[errors.md](errors.md).`;
}

const formatMeanings: Readonly<Record<(typeof formats)[number], string>> = {
  table: 'for people; the default',
  json: 'one document in one line, by the schemas in [output.json](../../schemas/output.json); what comes over time, a line each',
  jsonl: 'a line of JSON for each item',
  yaml: 'the same data as YAML',
  name: 'only ids or names, a line each',
  none: 'nothing: the exit status tells',
};

function exitPart(): string {
  const codesOf = (name: ExitName) =>
    Object.entries(exitsByCode)
      .filter(([, exit]) => exit === name)
      .map(([code]) => code);
  const rows = Object.entries(exits).map(([name, { status, means }]) => [
    String(status),
    words(name),
    means,
    codesOf(name as ExitName).join(', '),
  ]);
  return `## Exit status\n\n\`run\`, \`watch\` and \`result --wait\` end with 10, 11 or 12 by what became of the run or task; every other command ends with 0
when it did its job. An error whose code is not in the last column ends with 1, one with \`problems\` with 7.\n\n${table(['status', 'name', 'meaning', 'codes'], rows)}`;
}

function environmentPart(specs: readonly CommandSpec[]): string {
  const options = [...commonOptions, ...specs.flatMap((spec) => spec.options ?? [])];
  const named = options.flatMap(({ env, flags }) =>
    env === undefined ? [] : [[code(env), `as ${code(flags)}`]],
  );
  const rows = [
    ...named,
    [code('GLEITZEIT_KEY'), 'the key for the server'],
    [code('NO_COLOR'), 'no colours, unless `--color always`'],
    [code('FORCE_COLOR'), 'colours also where no terminal is; `0` for none'],
    [code('COLUMNS'), 'the width of tables; without it that of the terminal, and none in a pipe'],
  ];
  return `## Environment\n\nA flag wins over its variable. Every key of the [configuration](configuration.md) has a variable of its own besides.\n\n${table(['variable', 'meaning'], rows)}`;
}

function optionCells(option: OptionSpec): readonly string[] {
  const [, says] = optionRow(option);
  return [code(option.flags), says];
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
