import { Argument, Command, Option } from 'commander';
import { commonOptions } from './common-options.ts';
import type { FlagValue } from './flags.ts';
import { type Chapters, commandHelp, type Groups, groupHelp, programHelp } from './help.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.ts';

/** A command line that was understood. */
export type Parsed = {
  readonly spec: CommandSpec;
  readonly arguments: readonly string[];
  readonly flags: ReadonlyMap<string, FlagValue>;
};

export type ProgramParts = {
  readonly specs: readonly CommandSpec[];
  readonly groups: Groups;
  readonly chapters: Chapters;
  readonly version: string;
  /** Help and version. */
  readonly print: (text: string) => void;
  readonly found: (parsed: Parsed) => void;
};

/** The program as commander knows it. What is wrong with a command line is thrown, nothing is printed but help. */
export function buildProgram({ specs, groups, chapters, version, print, found }: ProgramParts): Command {
  const root = quiet(new Command('gleitzeit'), print)
    .version(version, '-V, --version', 'the version')
    .helpOption('-h, --help', 'this page')
    .helpCommand(false)
    .configureHelp({ formatHelp: () => programHelp(specs, chapters, groups) });
  for (const spec of commonOptions) root.addOption(optionOf(spec));
  const parents = new Map<string, Command>();
  const groupOf = (group: string): Command => {
    const known = parents.get(group);
    if (known !== undefined) return known;
    const formatHelp = () => groupHelp(group, groups[group] ?? group, specs);
    const made = quiet(new Command(group), print).configureHelp({ formatHelp }).helpCommand(false);
    root.addCommand(made);
    parents.set(group, made);
    return made;
  };
  for (const spec of specs) {
    const [group, name] = spec.name.includes(' ') ? spec.name.split(' ') : ['', spec.name];
    const command = quiet(new Command(name), print).configureHelp({ formatHelp: () => commandHelp(spec) });
    for (const argument of spec.arguments ?? []) command.addArgument(argumentOf(argument));
    for (const option of spec.options ?? []) command.addOption(optionOf(option));
    command.action(() =>
      found({ spec, arguments: argumentsOf(command), flags: flagsOf(spec, command, root) }),
    );
    const parent = group === '' || group === undefined ? root : groupOf(group);
    parent.addCommand(command, { hidden: spec.hidden ?? false });
  }
  return root;
}

function quiet(command: Command, print: (text: string) => void): Command {
  // A group without a command asks for help as an error; to ask what there is, is none.
  return command.exitOverride().configureOutput({ writeOut: print, writeErr: print, outputError: () => {} });
}

function argumentOf({
  name,
  description,
  required = true,
  variadic = false,
  choices,
}: ArgumentSpec): Argument {
  const shown = variadic ? `${name}...` : name;
  const argument = new Argument(required ? `<${shown}>` : `[${shown}]`, description);
  return choices === undefined ? argument : argument.choices(choices);
}

/** Defaults and variables are ours to fill in: the environment is handed to us. */
function optionOf({ flags, description, choices, repeat, required }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (repeat) option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
  return option.makeOptionMandatory(required ?? false);
}

function argumentsOf(command: Command): string[] {
  return command.processedArgs.flat().filter((value): value is string => typeof value === 'string');
}

function flagsOf(spec: CommandSpec, command: Command, root: Command): ReadonlyMap<string, FlagValue> {
  const flags = new Map<string, FlagValue>();
  const take = (holder: Command, { flags: written }: OptionSpec) => {
    const option = new Option(written);
    const value: unknown = holder.getOptionValue(option.attributeName());
    const name = (option.long ?? '').replace(/^--/, '');
    if (option.negate) flags.set(name, value === false);
    else if (isFlagValue(value)) flags.set(name, value);
  };
  for (const option of commonOptions) take(root, option);
  for (const option of spec.options ?? []) take(command, option);
  return flags;
}

function isFlagValue(value: unknown): value is FlagValue {
  return typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value);
}
