import { didYouMean } from '../../core/suggest.ts';
import { mistake } from '../mapping/mistake.ts';
import { type Token, tokensOf } from './tokens.ts';

export type Variable = { readonly name: string; readonly required: boolean };

export type Operation = {
  readonly kind: string;
  readonly name: string | null;
  readonly variables: readonly Variable[];
  readonly used: ReadonlySet<string>;
  readonly spreads: ReadonlySet<string>;
};

/**
 * The operation of a document that is called. Looks at its form, its variables and its fragments, so that what is misspelt is
 * noticed when the configuration is read; whether the service has such fields only the service knows.
 */
export function operationOf(text: string, wanted: string | undefined, at: string): Operation {
  const { operations, fragments } = new Reader(text, at).document();
  if (operations.length === 0) throw mistake(at, 'has no operation in it', 'begin with query or mutation');
  const operation = chosen(operations, wanted, at);
  if (operation.kind === 'subscription')
    throw mistake(at, 'a subscription has no single answer', 'only queries and mutations can be called');
  const whole = withFragments(operation, fragments, at);
  const declared = operation.variables.map(({ name }) => name);
  for (const name of whole.used)
    if (!declared.includes(name))
      throw mistake(at, `the variable $${name} is not declared`, didYouMean(name, declared, 'declared'));
  return whole;
}

function chosen(operations: readonly Operation[], wanted: string | undefined, at: string): Operation {
  const names = operations.map(({ name }) => name ?? 'without a name');
  const [first, second] = operations;
  if (wanted === undefined && second === undefined && first !== undefined) return first;
  if (wanted === undefined)
    throw mistake(at, `has several operations: ${names.join(', ')}`, 'say which is meant: operation');
  const found = operations.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw mistake(at, `has no operation "${wanted}"`, didYouMean(wanted, names, 'it has'));
}

type Parts = { readonly used: ReadonlySet<string>; readonly spreads: ReadonlySet<string> };

function withFragments(operation: Operation, fragments: ReadonlyMap<string, Parts>, at: string): Operation {
  const used = new Set(operation.used);
  const reached = new Set(operation.spreads);
  // Grows while it is walked: what a fragment spreads is reached too.
  for (const name of reached) {
    const fragment = fragments.get(name);
    if (fragment === undefined)
      throw mistake(at, `there is no fragment "${name}"`, didYouMean(name, [...fragments.keys()], 'it has'));
    for (const one of fragment.used) used.add(one);
    for (const one of fragment.spreads) reached.add(one);
  }
  return { ...operation, used, spreads: reached };
}

const closing: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

type Found = { readonly used: Set<string>; readonly spreads: Set<string> };

function nobody(): Found {
  return { used: new Set(), spreads: new Set() };
}

function isOpening(value: string): boolean {
  return Object.hasOwn(closing, value);
}

class Reader {
  readonly #at: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string, at: string) {
    this.#at = at;
    const read = tokensOf(text);
    if ('line' in read) throw mistake(at, `line ${read.line} has something in it that is no GraphQL`);
    this.#tokens = read.tokens;
  }

  document() {
    const operations: Operation[] = [];
    const fragments = new Map<string, Parts>();
    while (this.#here.kind !== 'end') {
      const { value } = this.#here;
      if (value === '{') operations.push({ kind: 'query', name: null, variables: [], ...this.#selection() });
      else if (value === 'fragment') {
        this.#take();
        const name = this.#name('the name of the fragment');
        fragments.set(name, this.#selection());
      } else if (['query', 'mutation', 'subscription'].includes(value)) operations.push(this.#operation());
      else this.#refuse('query, mutation or fragment');
    }
    return { operations, fragments };
  }

  get #here(): Token {
    const token = this.#tokens[this.#next];
    return token ?? { kind: 'end', value: 'the end', line: 0 };
  }

  #is(value: string): boolean {
    return this.#here.value === value;
  }

  #take(): Token {
    const token = this.#here;
    this.#next++;
    return token;
  }

  #name(what: string): string {
    if (this.#here.kind !== 'name') this.#refuse(what);
    return this.#take().value;
  }

  #expect(mark: string): void {
    if (this.#take().value === mark) return;
    this.#next--;
    this.#refuse(mark);
  }

  #operation(): Operation {
    const kind = this.#take().value;
    const name = this.#here.kind === 'name' ? this.#take().value : null;
    const variables: Variable[] = [];
    if (this.#is('(')) {
      this.#take();
      while (this.#is('$')) variables.push(this.#variable());
      this.#expect(')');
    }
    return { kind, name, variables, ...this.#selection() };
  }

  #variable(): Variable {
    this.#take();
    const name = this.#name('the name of the variable');
    this.#expect(':');
    const needed = this.#type();
    let given = false;
    if (this.#is('=')) {
      given = true;
      this.#take();
      this.#value();
    }
    while (this.#is('@')) this.#directive();
    return { name, required: needed && !given };
  }

  #directive(): void {
    this.#take();
    this.#name('the name of the directive');
    if (this.#is('(')) this.#group(nobody(), true);
  }

  #type(): boolean {
    if (this.#is('[')) {
      this.#take();
      this.#type();
      this.#expect(']');
    } else this.#name('a type');
    const needed = this.#is('!');
    if (needed) this.#take();
    return needed;
  }

  #value(): void {
    if (isOpening(this.#here.value)) this.#group(nobody(), true);
    else if (this.#here.kind === 'value' || this.#here.kind === 'name') this.#take();
    else this.#refuse('a value');
  }

  /** What stands before the braces (a type condition, directives) and within them. */
  #selection(): Parts {
    const found = nobody();
    while (!this.#is('{')) {
      if (this.#here.kind === 'end') this.#refuse('{');
      if (isOpening(this.#here.value)) this.#group(found, true);
      else this.#take();
    }
    this.#group(found, false);
    return found;
  }

  /** Brackets with everything in them, down to the one that closes them. Those of values may be empty. */
  #group(found: Found, values: boolean): void {
    const open = this.#take();
    const close = closing[open.value] ?? '';
    if (!values && this.#is('}')) this.#refuse('a field');
    while (!this.#is(close)) {
      const { kind, value } = this.#here;
      if (kind === 'end' || [')', ']', '}'].includes(value)) this.#refuse(`${close} for line ${open.line}`);
      if (isOpening(value)) this.#group(found, values || value !== '{');
      else {
        this.#take();
        if (value === '$') found.used.add(this.#name('the name of a variable'));
        else if (value === '...' && this.#here.kind === 'name' && !this.#is('on'))
          found.spreads.add(this.#take().value);
      }
    }
    this.#take();
  }

  #refuse(expected: string): never {
    const { line, value } = this.#here;
    throw mistake(this.#at, `line ${line} of the document has ${value} where ${expected} should stand`);
  }
}
