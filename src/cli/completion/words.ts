import { commonOptions } from '../common-options.ts';
import { formats } from '../output/formats.ts';
import type { CommandSpec, Completion, OptionSpec } from '../spec.ts';

export type Candidate = { readonly value: string; readonly says: string };

/** What fits at the end of a command line: words that are known, or a kind of thing that has to be looked up. */
export type Wanted = {
  readonly candidates: readonly Candidate[];
  readonly lookup: Completion | null;
  /** What was given so far by option, and by the name of an argument, for lookups that depend on it. */
  readonly given: ReadonlyMap<string, string>;
  /** What is written of the word to be found, and what stands before it: `--output=`, `failed,`. */
  readonly written: string;
  readonly before: string;
};

export type Completing = {
  /** Without `gleitzeit`; the last one is being written, and may be empty. */
  readonly words: readonly string[];
  readonly specs: readonly CommandSpec[];
  readonly groups: Readonly<Record<string, string>>;
};

export function wantedAt({ words, specs, groups }: Completing): Wanted {
  const { earlier, before, current } = split(words);
  const read = readWords(earlier, specs);
  const { spec, pending, given } = read;
  const found = (
    candidates: readonly Candidate[],
    lookup: Completion | null = null,
    { written, before: start } = { written: current, before },
  ): Wanted => {
    const fitting = candidates.filter(({ value }) => value.startsWith(written));
    const whole = fitting.map(({ value, says }) => ({ value: `${start}${value}`, says }));
    return { candidates: whole, lookup, given, written, before: start };
  };
  if (pending !== null) {
    const list = pending.words === undefined ? '' : current.slice(0, current.lastIndexOf(',') + 1);
    const rest = { written: current.slice(list.length), before: `${before}${list}` };
    return found(valuesOf(pending, spec), pending.complete ?? null, rest);
  }
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

/** An option and its value in one word are two; some shells take the sign between them for a word of its own. */
function split(words: readonly string[]) {
  const isOption = (word: string | undefined) => word?.startsWith('--') === true;
  const apart = words.slice(0, -1).flatMap((word, index) => {
    if (word === '=' && isOption(words[index - 1])) return [];
    const at = isOption(word) ? word.indexOf('=') : -1;
    return at > 0 && word.length > at + 1 ? [word.slice(0, at), word.slice(at + 1)] : [word];
  });
  const last = words.at(-1) ?? '';
  if (last === '=' && isOption(words.at(-2))) return { earlier: apart, before: '', current: '' };
  const at = isOption(last) ? last.indexOf('=') + 1 : 0;
  if (at === 0) return { earlier: apart, before: '', current: last };
  return { earlier: [...apart, last.slice(0, at - 1)], before: last.slice(0, at), current: last.slice(at) };
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
    } else {
      const name = spec.arguments?.[count]?.name;
      if (name !== undefined) given.set(name, word);
      count++;
    }
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
  const known = option.choices ?? option.words ?? [];
  const own = longName(option) === 'output' ? [...formats, ...(spec?.formats ?? [])] : known;
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
