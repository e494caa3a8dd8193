/** `env: NAME` and `file: path` say where a secret is, not what it is. */
const places = ['env', 'file'];

const token = /:(?=["'{[\s])|[,{}[\]]|"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|[^\s,{}[\]]+/g;

/** A line of YAML with its keys and brackets, and stars for every value. As long as before. */
export function maskValues(line: string): string {
  return mask(line, false);
}

/** The same for the list or mapping a text begins with. What follows it stays as it is. */
export function maskFlow(text: string): string {
  return mask(text, true);
}

function mask(text: string, onlyFirst: boolean): string {
  const reader = new Reader(text);
  for (const match of text.matchAll(token)) {
    reader.take(match[0], match.index);
    if (onlyFirst && reader.depth === 0) break;
  }
  return reader.shown();
}

/** Whoever reads a value does not take what stands in it for a key: rather a key too few is shown than a value. */
class Reader {
  readonly #text: string;
  #shown = '';
  #end = 0;
  #place: 'start' | 'key' | 'value' = 'start';
  #key = '';
  depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(token: string, at: number): void {
    this.#shown += this.#text.slice(this.#end, at);
    this.#end = at + token.length;
    this.#shown += this.#isOpen(token) ? token : token.replace(/\S/g, '*');
  }

  shown(): string {
    return this.#shown + this.#text.slice(this.#end);
  }

  #isOpen(token: string): boolean {
    if (this.#isBracket(token)) return true;
    if (this.#place === 'start' && (token === '-' || this.#isKey(token))) return true;
    if (this.#place === 'key' && token === ':') return true;
    const open = this.#place === 'key' && places.includes(this.#key);
    this.#place = 'value';
    return open;
  }

  #isBracket(token: string): boolean {
    if (token === '{' || token === '[') {
      if (this.#place === 'value') return false;
      this.depth++;
    } else if (token === '}' || token === ']' || token === ',') {
      if (this.depth === 0) return false;
      if (token !== ',') this.depth--;
    } else return false;
    this.#place = 'start';
    return true;
  }

  #isKey(token: string): boolean {
    const quoted = /^["']/.test(token);
    if (quoted ? !/^\s*:/.test(this.#text.slice(this.#end)) : !token.endsWith(':')) return false;
    this.#key = token.replaceAll(/["':]/g, '');
    this.#place = 'key';
    return true;
  }
}
