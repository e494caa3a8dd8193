import type { Json } from '../core/json.ts';
import { nearest } from '../core/suggest.ts';
import type { Finding } from '../files/parsed.ts';
import { type Path, showPath } from '../files/path.ts';
import { mapTexts, type Part, readReferences } from './references.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Later = Extract<Part, { kind: 'later' }>;

export type Filling = {
  readonly env: Environment;
  /** What texts were made of, by path: `env NAME`, `secrets.name`. */
  readonly variables: Map<string, readonly string[]>;
  /** What a variable sets is meant as it is: nothing is filled in there. */
  readonly isPlain: (path: Path) => boolean;
  /** What becomes of `${secrets.name}` and its like. */
  readonly later: (part: Later, path: Path) => string;
  report(finding: Finding): void;
};

/** The value with every `${NAME}` replaced. What is put in is text, and never looked through again. */
export function fillTexts(value: Json, path: Path, filling: Filling): Json {
  return mapTexts(value, path, (text, at) => {
    if (filling.isPlain(at)) return text;
    const parts = readReferences(text);
    const texts = parts.map((part) => fillOne(part, at, filling));
    const made = parts.flatMap((part, index) =>
      part.kind !== 'text' && texts[index] !== part.whole ? [madeOf(part)] : [],
    );
    if (made.length > 0) filling.variables.set(showPath(at), made);
    return texts.join('');
  });
}

function madeOf(part: Exclude<Part, { kind: 'text' }>): string {
  return part.kind === 'variable' ? `env ${part.name}` : part.whole.replace(/^\$+\{(.*)\}$/, '$1');
}

function fillOne(part: Part, path: Path, { env, later, report }: Filling): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'later') return later(part, path);
  if (part.kind === 'broken') {
    const hint = 'write ${NAME}, ${NAME:-default}, or $${ for the characters themselves';
    report({ path, part: 'value', message: part.message, hint, words: part.whole });
    return part.whole;
  }
  const value = variableOf(env, part.name);
  // As in a shell: a default stands in for an empty variable too.
  if (part.fallback !== null) return value === undefined || value === '' ? part.fallback : value;
  if (value !== undefined) return value;
  const message = `the environment variable ${part.name} is not set`;
  const hint = `${missingHint(part.name, env)}, or give a default: \${${part.name}:-value}`;
  report({ path, part: 'value', message, hint, words: part.whole });
  return part.whole;
}

export function variableOf(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

export function missingHint(name: string, env: Environment): string {
  const close = nearest(name, Object.keys(env));
  return close === undefined ? 'set it' : `did you mean ${close}? Otherwise set it`;
}
