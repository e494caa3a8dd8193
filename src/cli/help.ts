import { commonOptions } from './common-options.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.ts';

/** What a group of commands is about. */
export type Groups = Readonly<Record<string, string>>;
export type Chapters = readonly { readonly title: string; readonly commands: readonly string[] }[];

const helpOption: OptionSpec = { flags: '-h, --help', description: 'this page' };
const versionOption: OptionSpec = { flags: '-V, --version', description: 'the version' };

/** The page of one command: examples first, since that is what most people came for. */
export function commandHelp(spec: CommandSpec): string {
  const { summary, description, options = [], examples } = spec;
  const parts = [
    `${capital(summary)}.`,
    ...(description === undefined ? [] : [wrap(description, WIDTH).join('\n')]),
    section('Examples', examples.flatMap(exampleLines)),
    section('Usage', [usageOf(spec)]),
    section('Arguments', rows((spec.arguments ?? []).map(argumentRow))),
    section('Options', rows(options.map(optionRow))),
    section(
      'Common options',
      rows([...commonOptions, helpOption].map((option) => optionRow(withFormats(option, spec)))),
    ),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The page of a group: what there is in it. */
export function groupHelp(name: string, about: string, specs: readonly CommandSpec[]): string {
  const inside = specs.filter((spec) => spec.name.startsWith(`${name} `) && !spec.hidden);
  const parts = [
    `${capital(about)}.`,
    section(
      'Examples',
      inside.flatMap(({ examples }) => examples.slice(0, 1).flatMap(exampleLines)),
    ),
    section('Commands', rows(inside.map((spec) => [usageOf(spec, 'short'), spec.summary]))),
    `gleitzeit ${name} <command> --help says more.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The page of the whole program. */
export function programHelp(specs: readonly CommandSpec[], chapters: Chapters, groups: Groups): string {
  const summaries = new Map(specs.map(({ name, summary }) => [name, summary]));
  const listed = chapters.map(({ title, commands }) => {
    const known = commands.filter((name) => summaries.has(name) || name in groups);
    return section(title, rows(known.map((name) => [name, summaries.get(name) ?? groups[name] ?? ''])));
  });
  const parts = [
    'Durable workflows over any agent that speaks JSON-RPC 2.0.',
    section('Usage', ['gleitzeit <command> [options]']),
    ...listed,
    section('Common options', rows([...commonOptions, versionOption, helpOption].map(optionRow))),
    'gleitzeit <command> --help shows examples.',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

export function usageOf(spec: CommandSpec, length: 'whole' | 'short' = 'whole'): string {
  const given = (spec.arguments ?? []).map(({ name, required = true, variadic = false }) => {
    const shown = variadic ? `${name}...` : name;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  const ending = (spec.options ?? []).length > 0 ? ['[options]'] : [];
  if (length === 'short') return [spec.name.split(' ').at(-1), ...given].join(' ');
  return ['gleitzeit', spec.name, ...given, ...ending].join(' ');
}

/** `-o` of a command that knows more formats than others. */
export function withFormats(option: OptionSpec, { formats = [] }: CommandSpec): OptionSpec {
  if (!option.flags.startsWith('-o,') || formats.length === 0) return option;
  return { ...option, description: `${option.description}, ${formats.join(', ')}` };
}

export function argumentRow({ name, description, choices }: ArgumentSpec): readonly [string, string] {
  const told = choices?.every((choice) => description.includes(choice)) ?? true;
  return [name, told ? description : `${description}: ${choices?.join(', ')}`];
}

export function optionRow(option: OptionSpec): readonly [string, string] {
  const { flags, description, choices, env, default: fallback } = option;
  const notes = [
    choices === undefined || description.includes(choices[0] ?? '') ? '' : choices.join(', '),
    fallback === undefined ? '' : `default ${fallback}`,
    env === undefined ? '' : env,
  ].filter((note) => note !== '');
  return [
    flags.startsWith('--') ? `    ${flags}` : flags,
    notes.length === 0 ? description : `${description} (${notes.join('; ')})`,
  ];
}

function exampleLines({ command, says }: { command: string; says: string }): string[] {
  return [`$ ${command}`, `    ${says}`];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Fits the narrowest terminal that people use. */
const WIDTH = 79;
const LONGEST_LEFT = 28;

function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const left = Math.min(LONGEST_LEFT, Math.max(0, ...pairs.map(([name]) => name.length)));
  return pairs.flatMap(([name, says]) => {
    const [first = '', ...rest] = wrap(says, WIDTH - left - 4);
    const margin = ' '.repeat(left + 2);
    const below = rest.map((line) => margin + line);
    return name.length > left
      ? [name, margin + first, ...below]
      : [`${name.padEnd(left)}  ${first}`, ...below];
  });
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
