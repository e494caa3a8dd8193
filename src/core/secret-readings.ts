/** Part of a text, its end not included. */
export type Span = { readonly from: number; readonly to: number };

/** A text as whoever undoes one kind of escape reads it. */
type Reading = {
  readonly plain: string;
  /** Says where what stands in the plain text stands in the text itself. */
  origins(): (span: Span) => Span;
};

type Escape = {
  /** Without it there is none. */
  readonly mark: string;
  readonly whole: RegExp;
  /** At the end of a text that goes on: what may be the beginning of one. */
  readonly unfinished: RegExp;
  read(found: string): string;
};

const inJson: Escape = {
  mark: '\\',
  whole: /\\(?:u[\da-fA-F]{4}|["'\\/bfnrt])/g,
  unfinished: /(?:\\+(?:u[\da-fA-F]{0,3})?)?$/,
  read: (found) =>
    controls[found] ??
    (found.length > 2 ? String.fromCharCode(Number.parseInt(found.slice(2), 16)) : found.slice(1)),
};

const inAddress: Escape = {
  mark: '%',
  whole:
    /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi,
  unfinished: /(?:%[c-f][\da-f](?:%[89ab][\da-f]){0,2})?(?:%[\da-f]?)?$/i,
  read: (found) => {
    try {
      return decodeURIComponent(found);
    } catch {
      return found;
    }
  },
};

const inHtml: Escape = {
  mark: '&',
  whole: /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});/gi,
  unfinished: /(?:&(?:[a-z]{0,4}|#\d{0,7}|#x[\da-f]{0,6}))?$/i,
  read: (found) => {
    const name = found.slice(1, -1).toLowerCase();
    const named = entities[name];
    if (named !== undefined) return named;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > LAST_CHARACTER ? found : String.fromCodePoint(code);
  },
};

const controls: Readonly<Record<string, string>> = {
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
};
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const LAST_CHARACTER = 0x10ffff;

const escapes = [inJson, inAddress, inHtml];
/** An escape in an escape: JSON as a text in JSON, or an address in it. */
const DEEPEST = 2;

/** What shows any of the forms in the text, whether they stand there as they are or escaped. */
export function spansIn(text: string, forms: readonly string[], deepest = DEEPEST): Span[] {
  const spans = forms.flatMap((form) => spansOf(text, form));
  if (deepest === 0) return spans;
  const escaped = readingsOf(text).flatMap(({ plain, origins }) => {
    const found = spansIn(plain, forms, deepest - 1);
    return found.length === 0 ? [] : found.map(origins());
  });
  return spans.concat(escaped);
}

function spansOf(text: string, form: string): Span[] {
  const spans: Span[] = [];
  for (let from = text.indexOf(form); from !== -1; from = text.indexOf(form, from + 1)) {
    spans.push({ from, to: from + form.length });
  }
  return spans;
}

/** Whether the text shows any of the forms. */
export function shows(text: string, forms: readonly string[], deepest = DEEPEST): boolean {
  if (forms.some((form) => text.includes(form))) return true;
  return deepest > 0 && readingsOf(text).some(({ plain }) => shows(plain, forms, deepest - 1));
}

type OpenEnd = {
  /** Where it begins in a text without escapes; the length of the text where it has none. */
  readonly beginningIn: (plain: string) => number;
  /** More is to come: an escape that is not finished is open too. */
  readonly goesOn: boolean;
};

/** Where the end of a text begins that may be the beginning of something else, as it is or escaped. */
export function openEndOf(text: string, how: OpenEnd, deepest = DEEPEST): number {
  const open = how.beginningIn(text);
  if (deepest === 0) return open;
  const starts = readingsOf(text, { unfinished: false }).map(({ plain, origins }) => {
    const from = openEndOf(plain, how, deepest - 1);
    return from < plain.length || how.goesOn ? origins()({ from, to: from }).from : text.length;
  });
  return Math.min(open, ...starts);
}

/** How the text can be read by whoever undoes escapes in it. Without what is `unfinished` at its end, where that is not wanted. */
function readingsOf(text: string, { unfinished = true } = {}): Reading[] {
  return escapes.flatMap((kind) => {
    if (!text.includes(kind.mark)) return [];
    const whole = unfinished ? text : withoutUnfinished(text, kind);
    const plain = whole.replaceAll(kind.whole, kind.read);
    return plain === text ? [] : [{ plain, origins: () => originsIn(whole, kind, plain.length) }];
  });
}

/** No escape is longer, and a text may be. */
const LONGEST_ESCAPE = 12;

function withoutUnfinished(text: string, { unfinished }: Escape): string {
  const tail = text.slice(-LONGEST_ESCAPE);
  return text.slice(0, text.length - tail.length + tail.search(unfinished));
}

/** A text of JSON as it reads without its escapes. */
export function unquoted(json: string): string {
  return json.replaceAll(inJson.whole, inJson.read);
}

function originsIn(text: string, { whole, read }: Escape, length: number): (span: Span) => Span {
  const from = new Uint32Array(length);
  const origin = (place: number) => from[place] ?? text.length;
  let plain = 0;
  let at = 0;
  for (const { 0: found, index } of text.matchAll(whole)) {
    while (at < index) from[plain++] = at++;
    const end = plain + read(found).length;
    from.fill(index, plain, end);
    plain = end;
    at = index + found.length;
  }
  while (at < text.length) from[plain++] = at++;
  return (span) => {
    let { to } = span;
    // All of an escape, where only half of what it stands for is meant.
    while (to > span.from && from[to] === from[to - 1]) to++;
    return { from: origin(span.from), to: origin(to) };
  };
}
