import { commonOptions } from '../common-options.ts';
import { formats } from '../output/formats.ts';
import type { CommandSpec, Completion, OptionSpec } from '../spec.ts';

export type Candidate = { readonly value: string; readonly says: string };

/** What fits at the end of a command line: words that are known, or a kind of thing that has to be looked up. */
export type Wanted = {
  readonly candidates: readonly Candidate[];
  readonly lookup: Completion | null;
  /** What options were given so far, for lookups that depend on them. */
  readonly given: ReadonlyMap<string, string>;
};

export type Completing = {
  /** Without `gleitzeit`; the last one is being written, and may be empty. */
  readonly words: readonly string[];
  readonly specs: readonly CommandSpec[];
  readonly groups: Readonly<Record<string, string>>;
};

export function wantedAt({ words, specs, groups }: Completing): Wanted {
  const current = words.at(-1) ?? '';
  const read = readWords(words.slice(0, -1), specs);
  const { spec, pending, given } = read;
  const found = (candidates: readonly Candidate[], lookup: Completion | null = null): Wanted => ({
    candidates: candidates.filter(({ value }) => value.startsWith(current)),
    lookup,
    given,
  });
  if (pending !== null) return found(valuesOf(pending, spec), pending.complete ?? null);
  if (current.startsWith('-')) return found(optionsOf(spec).map(optionCandidate));
  if (spec === null) return found(commandsBelow(read.path, specs, groups));
  const last = spec.arguments?.at(-1);
  const argument = spec.arguments?.[read.arguments] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return found(optionsOf(spec).map(optionCandidate));
  return found(
    (argument.choices ?? []).map((value) => ({ value, says: '' })),
    argument.complete ?? null,
  );
}

type Read = {
  /** `['queue']` while only the group is known. */
  readonly path: readonly string[];
  readonly spec: CommandSpec | null;
  /** The option whose value comes next. */
  readonly pending: OptionSpec | null;
  readonly arguments: number;
  readonly given: ReadonlyMap<string, string>;
};

function readWords(words: readonly string[], specs: readonly CommandSpec[]): Read {
  const given = new Map<string, string>();
  let path: string[] = [];
  let spec: CommandSpec | null = null;
  let pending: OptionSpec | null = null;
  let count = 0;
  for (const word of words) {
    if (pending !== null) {
      given.set(longName(pending), word);
      pending = null;
    } else if (word.startsWith('-')) {
      const option = optionsOf(spec).find(({ flags }) => flags.split(/[ ,]+/).includes(word));
      pending = option !== undefined && takesValue(option) ? option : null;
    } else if (spec === null) {
      path = [...path, word];
      spec = specs.find(({ name }) => name === path.join(' ')) ?? null;
    } else count++;
  }
  return { path, spec, pending, arguments: count, given };
}

function commandsBelow(
  path: readonly string[],
  specs: readonly CommandSpec[],
  groups: Readonly<Record<string, string>>,
): Candidate[] {
  const shown = specs.filter(({ hidden }) => !hidden);
  if (path.length > 0) {
    const start = `${path.join(' ')} `;
    const inside = shown.filter(({ name }) => name.startsWith(start));
    return inside.map(({ name, summary }) => ({ value: name.slice(start.length), says: summary }));
  }
  const alone = shown.filter(({ name }) => !name.includes(' '));
  const used = new Set(shown.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]));
  const grouped = Object.entries(groups).filter(([name]) => used.has(name));
  return [
    ...alone.map(({ name, summary }) => ({ value: name, says: summary })),
    ...grouped.map(([value, says]) => ({ value, says })),
  ];
}

function optionsOf(spec: CommandSpec | null): readonly OptionSpec[] {
  return [...(spec?.options ?? []), ...commonOptions];
}

function valuesOf(option: OptionSpec, spec: CommandSpec | null): Candidate[] {
  const own = longName(option) === 'output' ? [...formats, ...(spec?.formats ?? [])] : (option.choices ?? []);
  return own.map((value) => ({ value, says: '' }));
}

function optionCandidate(option: OptionSpec): Candidate {
  return { value: `--${longName(option)}`, says: option.description };
}

export function longName({ flags }: Pick<OptionSpec, 'flags'>): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? flags;
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes('<');
}
