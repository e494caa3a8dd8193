import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretForms } from './secret-forms.ts';
import { MASK, maskForms, redact } from './secrets.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('what gives a secret away', () => {
  const pem = '-----BEGIN KEY-----\r\n  MIIEabcdefghijk1\nMIIEabcdefghijk2\nab\n-----END KEY-----';

  it('is each line of it that is long enough', () => {
    const shown = redact('says MIIEabcdefghijk1 and MIIEabcdefghijk2, ab', [pem]);
    expect(shown).toBe(`says ${MASK} and ${MASK}, ab`);
  });

  it('is what stands for it in an address', () => {
    expect(redact('http://h/?a=p%40ss%2Fw&b=1', ['p@ss/w'])).toBe(`http://h/?a=${MASK}&b=1`);
    expect(redact('http://h/?a=p%40ss+w', ['p@ss w'])).toBe(`http://h/?a=${MASK}`);
  });

  it('is what stands for it in base64, wherever in it', () => {
    for (const user of ['', 'a', 'ab', 'abc', 'name:']) {
      for (const after of ['', '.', '..', ':rest']) {
        const shown = redact(`Basic ${base64(`${user}hunter2pw${after}`)}`, ['hunter2pw']);
        expect(shown).toContain(MASK);
        const kept = shown.slice('Basic '.length).split(MASK);
        for (const part of kept) expect(Buffer.from(part, 'base64').toString()).not.toMatch(/hu|nt|er|2p/);
      }
    }
    const odd = 'ÿ?>ÿ?>ÿ?>';
    expect(redact(Buffer.from(odd).toString('base64url'), [odd])).toBe(MASK);
  });

  it('is what stands in base64 for an address that it is in', () => {
    const secret = "S3/cret+K&y'<9>== ok";
    const form = new URL('http://h/');
    form.searchParams.set('key', secret);
    for (const address of [form.href, `http://h/${encodeURIComponent(secret)}/x`]) {
      const shown = redact(`at ${base64(address)}`, [secret]);
      expect(shown).toContain(MASK);
      for (const part of shown.slice(3).split(MASK))
        expect(Buffer.from(part, 'base64').toString()).not.toMatch(/S3|cret|K%26|%3C9|ok/);
    }
  });

  it('is not what a short one becomes in base64: that stands everywhere', () => {
    expect(secretForms('5')).toEqual(['5']);
    expect(secretForms('')).toEqual([]);
  });

  it('is masked in the words of whoever asks', () => {
    expect(maskForms('a key', secretForms('key'), '***')).toBe('a ***');
  });

  it('can be asked of anything', () => {
    expect(redact('half\ud800', ['half\ud800'])).toBe(MASK);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (secret) => {
        expect(secretForms(secret)).not.toContain('');
      }),
    );
  });
});
