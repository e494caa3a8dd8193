import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { createCipher, newKey, parseKey } from './cipher.ts';

const key = (byte: number) => Buffer.alloc(32, byte);

function refusal(make: () => unknown): GleitzeitError {
  try {
    make();
  } catch (thrown) {
    return GleitzeitError.from(thrown);
  }
  throw new Error('nothing was thrown');
}

describe('the cipher', () => {
  it('opens what it sealed, whatever the text', () => {
    const cipher = createCipher(() => [key(1)]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // A half of a surrogate pair is no text: it comes back as the sign for that.
        expect(cipher.open(cipher.seal(text))).toBe(text.toWellFormed());
      }),
    );
    expect(cipher.open(cipher.seal(''))).toBe('');
  });

  it('never uses a beginning twice, however much it seals', () => {
    const cipher = createCipher(() => [key(1)]);
    const sealed = Array.from({ length: 1000 }, () => cipher.seal('a'));
    const ivs = sealed.map((text) => Buffer.from(text.split('.')[2] ?? '', 'base64url').subarray(0, 12));
    expect(new Set(ivs.map((iv) => iv.toString('hex'))).size).toBe(1000);
    expect(sealed.every((text) => cipher.open(text) === 'a')).toBe(true);
  });

  it('seals the same text differently each time, and shows nothing of it', () => {
    const cipher = createCipher(() => [key(1)]);
    const sealed = Array.from({ length: 50 }, () => cipher.seal('open sesame'));
    expect(new Set(sealed).size).toBe(50);
    for (const one of sealed) {
      expect(one).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/);
      expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('sesame');
    }
  });

  it('notices every change of what was sealed', () => {
    const cipher = createCipher(() => [key(1)]);
    const [version, id, text = ''] = cipher.seal('secret').split('.');
    const bytes = Buffer.from(text, 'base64url');
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const error = refusal(() => cipher.open(`${version}.${id}.${changed.toString('base64url')}`));
      expect(error).toMatchObject({ code: 'GLZ3010', message: expect.stringContaining('was changed') });
    }
  });

  it.each(['', 'v1', 'v1.x', 'nonsense', 'v1.00000000.AAAA'])('refuses %j, which it never sealed', (text) => {
    const error = refusal(() => createCipher(() => [key(1)]).open(text));
    expect(error).toMatchObject({ code: 'GLZ3010', details: { hint: expect.stringContaining('key') } });
  });

  it('refuses what is cut short, and what a later version wrote', () => {
    const cipher = createCipher(() => [key(1)]);
    const sealed = cipher.seal('');
    const known = 'not in a form this version knows';
    expect(refusal(() => cipher.open(sealed.slice(0, -6))).message).toContain(known);
    expect(refusal(() => cipher.open(sealed.replace('v1', 'v2'))).message).toContain(known);
    const [, id] = sealed.split('.');
    expect(refusal(() => cipher.open(`v1.${id}`)).message).toContain(known);
    expect(cipher.open(sealed)).toBe('');
  });

  it('opens with older keys and seals with the first', () => {
    const before = createCipher(() => [key(1)]);
    const sealed = before.seal('old');
    const after = createCipher(() => [key(2), key(1)]);
    expect(after.open(sealed)).toBe('old');
    const only = createCipher(() => [key(2)]);
    expect(only.open(after.seal('new'))).toBe('new');
    expect(refusal(() => only.open(sealed)).message).toContain('a key that is not there');
  });

  it('tells what it would seal now from what an older key sealed', () => {
    const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const sealed = createCipher(() => [older]).seal('secret');
    const rotated = createCipher(() => [newer, older]);
    expect([rotated.isCurrent(sealed), rotated.isCurrent(rotated.seal('secret'))]).toEqual([false, true]);
  });

  it('asks for its keys when there is a first secret, and once', () => {
    let asked = 0;
    const cipher = createCipher(() => {
      asked++;
      return [key(1)];
    });
    expect(asked).toBe(0);
    cipher.open(cipher.seal('x'));
    cipher.mark('x');
    expect(asked).toBe(1);
  });

  it('asks again after its keys could not be had', () => {
    let there = false;
    const cipher = createCipher(() => {
      if (there) return [key(1)];
      throw new GleitzeitError('GLZ3010', 'not mounted yet');
    });
    expect(refusal(() => cipher.seal('x')).message).toBe('not mounted yet');
    there = true;
    expect(cipher.open(cipher.seal('x'))).toBe('x');
  });

  it('says so when there is no key', () => {
    const cipher = createCipher(() => []);
    for (const use of [() => cipher.seal('x'), () => cipher.mark('x')]) {
      expect(refusal(use)).toMatchObject({ code: 'GLZ3010', message: expect.stringContaining('no key') });
    }
    expect(refusal(() => cipher.open('v1.x.y')).code).toBe('GLZ3010');
  });

  it('marks as before after a new key was put in front', () => {
    const before = createCipher(() => [key(1)]);
    expect(createCipher(() => [key(2), key(1)]).mark('a')).toBe(before.mark('a'));
  });

  it('marks the same text alike, and only with the same key', () => {
    const cipher = createCipher(() => [key(1)]);
    const other = createCipher(() => [key(2)]);
    expect(cipher.mark('a')).toBe(createCipher(() => [key(1)]).mark('a'));
    expect(cipher.mark('a')).not.toBe(cipher.mark('b'));
    expect(cipher.mark('a')).not.toBe(other.mark('a'));
    expect(cipher.mark('a')).not.toContain('a'.repeat(4));
  });
});

describe('a key', () => {
  it('is 32 bytes in base64, and a new one is another', () => {
    const text = newKey();
    expect(parseKey(`  ${text}\n`, 'here')).toHaveLength(32);
    expect(newKey()).not.toBe(text);
  });

  it.each(['', 'short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
    'is not %j, and the error says where and does not show it',
    (text) => {
      const error = refusal(() => parseKey(text, 'GLEITZEIT_SECRET_KEY'));
      expect(error).toMatchObject({ code: 'GLZ3010', message: 'GLEITZEIT_SECRET_KEY holds no usable key' });
      if (text !== '') expect(JSON.stringify(error.toRecord())).not.toContain(text);
    },
  );
});
