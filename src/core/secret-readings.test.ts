import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretForms } from './secret-forms.ts';
import { openEndOf, shows } from './secret-readings.ts';
import { MASK, redact } from './secrets.ts';

const unit = (letter: string) => letter.charCodeAt(0).toString(16).padStart(4, '0');
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const percent = (text: string) => encodeURIComponent(text.toWellFormed());
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As the libraries of many languages write a text. */
const escapings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  json,
  slashes: (text) => json(text).replaceAll('/', '\\/'),
  ascii: (text) => json(text).replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${unit(letter)}`),
  'ascii in capitals': (text) =>
    json(text).replaceAll(/[^\0-\x7f]|[+&<>'`]/g, (letter) => `\\u${unit(letter).toUpperCase()}`),
  'for a page': (text) => json(text).replaceAll(/[&<>]/g, (letter) => `\\u${unit(letter)}`),
  address: percent,
  'address in small letters': (text) => percent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  form: (text) => percent(text).replaceAll('%20', '+'),
  html: (text) => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter),
  'html in numbers': (text) => text.replaceAll(/[^\w\s]/gu, (one) => `&#${one.codePointAt(0)};`),
  'html in hex': (text) => text.replaceAll(/[^\w\s]/gu, (one) => `&#x${one.codePointAt(0)?.toString(16)};`),
  base64: (text) => Buffer.from(text).toString('base64'),
};

const escaping = fc.constantFrom(...Object.keys(escapings));
const said = (name: string, text: string) => escapings[name]?.(text) ?? text;
const key = 'Zm9v/YmFy+a&b/c3Ryäö"W5n==';

describe('a secret that is repeated with escapes', () => {
  it.each(Object.keys(escapings))('is found: %s', (name) => {
    expect(redact(`{"error":"bad key ${said(name, key)}"}`, [key])).not.toContain(said(name, key));
    if (name !== 'base64') {
      expect(redact(`{"error":"bad key ${said(name, key)}"}`, [key])).toBe(`{"error":"bad key ${MASK}"}`);
    }
  });

  it('is found whatever it is, and however often it is escaped', () => {
    const secret = fc
      .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'\\/"%&;+ <aä2f😀') }))
      .filter((text) => text.length > MASK.length);
    fc.assert(
      fc.property(secret, escaping, escaping, (text, inner, outer) => {
        fc.pre(outer !== 'base64' || inner === 'plain');
        const escaped = said(outer, said(inner, text));
        const shown = redact(`{"error":"bad key ${escaped}"}`, [text]);
        for (const part of shown.split(MASK)) expect(part).not.toContain(escaped);
      }),
    );
  });

  it('is hidden from where it begins to where it ends, and no further', () => {
    const secret = '😀/key/😀';
    for (const [outer, inner] of [
      ['ascii', 'ascii'],
      ['address', 'slashes'],
      ['html', 'json'],
    ] as const) {
      const around = said(outer, said(inner, `ä/${secret}/ü`)).split(said(outer, said(inner, secret)));
      const text = around.join(said(outer, said(inner, secret)));
      expect(redact(text, [secret])).toBe(around.join(MASK));
    }
  });

  it('is hidden with all of an escape of which it is a part', () => {
    expect(redact('a%F0%9F%98%80b', ['a\ud83d'])).toBe(`${MASK}b`);
  });

  it('is none where an escape stands for no character', () => {
    for (const text of [
      '&#1114112;',
      '&#x110000;',
      '%ED%A0%80',
      '%F5%80%80%80',
      '\\u12',
      '\\x',
      '%%',
      '&amp',
    ])
      expect(redact(text, ['a secret'])).toBe(text);
  });
});

describe('the end of a text that goes on', () => {
  const forms = secretForms('key/ä/😀"end');
  const beginningIn = (plain: string) => {
    for (let at = 0; at < plain.length; at++) {
      if (forms.some((form) => form.startsWith(plain.slice(at)))) return at;
    }
    return plain.length;
  };

  it.each(Object.keys(escapings).filter((name) => name !== 'base64'))(
    'is open wherever a secret is cut: %s',
    (name) => {
      const escaped = said('json', said(name, 'key/ä/😀"end'));
      for (let cut = 1; cut < escaped.length; cut++) {
        const text = `so ${escaped.slice(0, cut)}`;
        expect(openEndOf(text, { beginningIn, goesOn: true })).toBeLessThanOrEqual(3);
        expect(openEndOf(text, { beginningIn, goesOn: false })).toBeLessThanOrEqual(text.length);
      }
      expect(shows(escaped, forms)).toBe(true);
    },
  );

  it('is not open for what only could have been an escape', () => {
    for (const text of ['100% of it!', 'Q&A of it!', 'C:\\dir!'])
      expect(openEndOf(text, { beginningIn, goesOn: true })).toBe(text.length);
  });

  it('is looked at in time, however many escapes there are', () => {
    for (const mark of ['\\', '%', '&', '%25', '&amp;', '\\\\'])
      expect(openEndOf(`${mark.repeat(60_000)} `, { beginningIn, goesOn: true })).toBeGreaterThan(0);
  });
});
