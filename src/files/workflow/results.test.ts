import { describe, expect, it } from 'vitest';
import { parseProtocol } from '../../core/protocol.ts';
import { problemsOf } from '../problems.ts';
import { protocolsOf } from './known.ts';
import { readWorkflow } from './read.ts';

const returns = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    x: { type: ['number', 'null'] },
    text: { type: 'string' },
    list: { type: 'array', items: { $ref: '#/$defs/item' } },
    either: {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { type: 'object', properties: { b: {} } },
      ],
    },
    open: { type: 'object' },
    more: { type: 'object', properties: { a: {} }, additionalProperties: true },
    numbers: { type: 'object', additionalProperties: { type: 'number' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    whole: {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { properties: { c: { type: 'boolean' } } },
      ],
    },
    tree: { $ref: '#' },
  },
  $defs: { item: { type: 'object', properties: { title: { type: 'string' } }, additionalProperties: false } },
};

const protocols = protocolsOf([
  parseProtocol({
    name: 'p/v1',
    methods: {
      give: { returns },
      anything: {},
      take: {
        params: {
          text: { type: 'string' },
          n: { type: 'integer' },
          list: { type: 'array', items: { type: 'string' } },
          items: { type: 'array' },
          lists: {
            anyOf: [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, { type: 'null' }],
          },
          flag: { type: 'boolean' },
          any: {},
          either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          deep: { type: 'object', properties: { n: { type: 'integer' } } },
        },
      },
    },
  }),
]);

function told(param: string, text: string): string[] {
  const file = `tasks:
- {id: give, protocol: p/v1, method: give}
- {id: free, protocol: p/v1, method: anything}
- id: take
  protocol: p/v1
  method: take
  params: {${param}: ${JSON.stringify(text)}}
`;
  try {
    return readWorkflow(file, { file: 'f', protocols }).notes.map(({ message }) => `note: ${message}`);
  } catch (thrown) {
    return problemsOf(thrown).map(({ message, found, hint, excerpt, column }) => {
      const words = excerpt?.text.slice(column - 1, column - 1 + excerpt.length);
      return `${message}${found === null ? '' : `, found ${found}`} [${words}]${hint === null ? '' : ` ${hint}`}`;
    });
  }
}

describe('a reference into a result', () => {
  it.each([
    'n',
    'list[0].title',
    'either.a',
    'either.b',
    'open.whatever.deeper',
    'more.b',
    'numbers.q',
    'pair[1]',
    'whole.a',
    'whole.c',
    'tree.tree.n',
    'list',
    'list["0"].title',
  ])('may lead to %s', (path) => {
    expect(told('any', `\${give.result.${path}}`)).toEqual([]);
  });

  it.each([
    [
      'm',
      'there is no "m" in ${give.result}, found "m" [m] it has: n, x, text, list, either, open, more, numbers, pair, whole, tree',
    ],
    ['txt', 'there is no "txt" in ${give.result}, found "txt" [txt] did you mean "text"?'],
    [
      'list[3].titel',
      'there is no "titel" in ${give.result.list[3]}, found "titel" [titel] did you mean "title"?',
    ],
    ['list.title', '${give.result.list} is a list: there is no "title" in it, found "title" [title]'],
    ['n.x', '${give.result.n} is a whole number: there is no "x" in it, found "x" [x]'],
    ['either.c', 'there is no "c" in ${give.result.either}, found "c" [c] it has: a, b'],
    ['pair[2]', '${give.result.pair} is a list: there is no "2" in it, found "2" [[2]]'],
    ['whole.b', 'there is no "b" in ${give.result.whole}, found "b" [b] it has: a, c'],
    [
      'tree.tree.txt',
      'there is no "txt" in ${give.result.tree.tree}, found "txt" [txt] did you mean "text"?',
    ],
  ])('cannot lead to %s', (path, mistake) => {
    expect(told('any', `see \${give.result.${path}}`)).toEqual([mistake]);
  });

  it('is not judged where nothing is known, and only noted where a default follows', () => {
    expect(told('any', `\${free.result.a.b.c}`)).toEqual([]);
    expect(told('any', `\${workflow.input.a}`)).toEqual([]);
    expect(told('any', `\${give.result.txt ?? "none"}`)).toEqual([
      'note: there is no "txt" in ${give.result}, so what follows ?? is always taken',
    ]);
  });

  it.each([
    ['n', 'n'],
    ['n', 'x'],
    ['text', 'text'],
    ['items', 'list'],
    ['list', 'pair'],
    ['list', 'more.q'],
    ['either', 'n'],
    ['either', 'text'],
    ['any', 'list'],
    ['n', 'more.q'],
  ])('may give %s %s', (param, path) => {
    expect(told(param, `\${give.result.${path}}`)).toEqual([]);
  });

  it.each([
    [
      'n',
      '${give.result.text}',
      'must be a whole number, found text, which ${give.result.text} is [give.result.text]',
    ],
    [
      'text',
      '${give.result.list}',
      'must be text, found a list, which ${give.result.list} is [give.result.list]',
    ],
    [
      'flag',
      '${give.result.n}',
      'must be true or false, found a whole number, which ${give.result.n} is [give.result.n]',
    ],
    [
      'either',
      '${give.result.list}',
      'must be text or a whole number, found a list, which ${give.result.list} is [give.result.list]',
    ],
    [
      'n',
      '${give.result.x ?? give.result.text}',
      'must be a whole number, found text, which ${give.result.text} is [give.result.text]',
    ],
    [
      'n',
      '${give.result.n ?? "none"}',
      'must be a whole number, found the default "none" ["${give.result.n ?? \\"none\\"}"]',
    ],
    [
      'n',
      '${give.result.n} ',
      'must be a whole number, found text with a reference in it ["${give.result.n} "] a reference keeps its kind only where it is the whole text',
    ],
  ])('cannot give %s %s', (param, text, mistake) => {
    expect(told(param, text)).toEqual([mistake]);
  });

  it('inside other text is text', () => {
    expect(told('text', 'n is ${give.result.n}')).toEqual([]);
    expect(told('either', 'n is ${give.result.n}')).toEqual([]);
  });
});

describe('a list', () => {
  const method = (items: object) => ({ returns: { rows: { type: 'array', items } } });
  const known = protocolsOf([
    ...protocols.names().flatMap((name) => protocols.get(name) ?? []),
    parseProtocol({
      name: 'q/v1',
      methods: {
        texts: method({ type: 'string' }),
        maybe: method({ type: ['string', 'integer'] }),
        nested: method({ type: 'array', items: { type: 'object' } }),
        numbers: method({ type: 'array', items: { type: 'integer' } }),
        unsaid: method({}),
      },
    }),
  ]);
  const toldOf = (from: string, param: string) => {
    const file = `tasks:
- {id: give, protocol: q/v1, method: ${from}}
- {id: take, protocol: p/v1, method: take, params: {${param}: "\${give.result.rows}"}}
`;
    try {
      readWorkflow(file, { file: 'f', protocols: known });
      return [];
    } catch (thrown) {
      return problemsOf(thrown).map(({ message, found }) => `${message}, found ${found}`);
    }
  };

  it('is looked into, one level and more', () => {
    expect(told('list', '${give.result.list}')).toEqual([
      'must be a list whose items are text, found a list whose items are a mapping (key: value), which ${give.result.list} is [give.result.list]',
    ]);
    expect(toldOf('texts', 'lists')).toEqual([
      'must be a list whose items are a list, found a list whose items are text, which ${give.result.rows} is',
    ]);
    expect(toldOf('nested', 'lists')).toEqual([
      'must be a list whose items are a list whose items are a number, found a list whose items are a list whose items are a mapping (key: value), which ${give.result.rows} is',
    ]);
  });

  it.each([
    ['texts', 'list'],
    ['maybe', 'list'],
    ['numbers', 'lists'],
    ['unsaid', 'lists'],
    ['nested', 'items'],
  ])('of %s may be given as %s', (from, param) => {
    expect(toldOf(from, param)).toEqual([]);
  });
});
