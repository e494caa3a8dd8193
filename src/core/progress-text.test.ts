import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLine, cleanText, hiddenForms, hideIn } from './progress-text.ts';

describe('texts of a service', () => {
  it('keep their lines and lose what a terminal or a store would stumble over', () => {
    expect(cleanText('a\r\nb\rc\td\u0000\u001b[31m\u009b\ud800e')).toBe('a\nb\nc\td[31m\ufffde');
    expect(cleanLine('  step\r\n2\u0000 of 3\t ')).toBe('step 2 of 3');
    expect(cleanLine('red\u202egnp\u2066.exe')).toBe('redgnp.exe');
  });
});

describe('secrets in a text that comes in pieces', () => {
  const hidden = hiddenForms(['hunter2', 'abcab']);
  const hide = (text: string, ends = false) => hideIn(text, hidden, { ends });

  it.each([
    ['nothing of it', 'all fine', 'all fine', ''],
    ['a whole one', 'it is hunter2!', 'it is [secret]!', ''],
    ['the beginning of one', 'it is hunt', 'it is ', 'hunt'],
    ['one that ends with its own beginning', 'abcab', '', 'abcab'],
    ['several in a row, the last one open', 'abcabcab', '', 'abcabcab'],
    ['something that only looks like it', 'hunthunt', 'hunt', 'hunt'],
  ])('are not shown: %s', (_what, text, shown, rest) => {
    expect(hide(text)).toEqual({ shown, rest });
  });

  it('are not shown by the end of the text either', () => {
    expect(hide('it is hunt', true)).toEqual({ shown: 'it is [secret]', rest: '' });
    expect(hide('then abcab', true)).toEqual({ shown: 'then [secret]', rest: '' });
    expect(hideIn('sk-live-abc', hiddenForms(['sk-live-abcdef123456']), { ends: true }).shown).toBe(
      '[secret]',
    );
  });

  it('leave the end of a text that is one by chance', () => {
    for (const text of ['a dish', 'a hun', 'cab', 'all of it &am', '100%'])
      expect(hide(text, true)).toEqual({ shown: text, rest: '' });
    const long = hiddenForms(['sk-live-abcdef123456']);
    expect(hideIn('ends with sk-live', long, { ends: true }).shown).toBe('ends with sk-live');
  });

  it('are found where they stand escaped, however the text is cut', () => {
    const forms = hiddenForms(['Zm9v/YmFy/c3Ry']);
    const text = 'bad key Zm9v\\/YmFy\\/c3Ry!';
    for (let cut = 1; cut < text.length; cut++) {
      const first = hideIn(text.slice(0, cut), forms, { ends: false });
      const last = hideIn(first.rest + text.slice(cut), forms, { ends: true });
      expect(first.shown + last.shown).toBe('bad key [secret]!');
    }
  });

  it('are found however the text is cut', () => {
    const words = fc.constantFrom('hunter2', 'abcab', 'hunt', 'a', 'b', 'ca', ' ', 'er2');
    fc.assert(
      fc.property(fc.array(words), fc.array(fc.nat(9)), (parts, sizes) => {
        let left = parts.join('');
        let open = '';
        let all = '';
        for (const size of sizes) {
          const { shown, rest } = hide(open + left.slice(0, size));
          left = left.slice(size);
          open = rest;
          all += shown;
          expect(open.length).toBeLessThan(64);
        }
        all += hide(open + left, true).shown;
        expect(all).not.toMatch(/hunter2|abcab/);
      }),
    );
  });

  it('are found where cleaning has changed them', () => {
    const forms = hiddenForms(['one\r\ntwo\u0000three']);
    expect(hideIn('>one\ntwothree<', forms, { ends: true }).shown).toBe('>[secret]<');
  });

  it('are none where there are none', () => {
    expect(hideIn('text', hiddenForms([]), { ends: false })).toEqual({ shown: 'text', rest: '' });
  });
});
