import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escaped, said } from './entities.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '&',
        'amp;',
        '&lt;',
        '|',
        '!channel',
        '@U1',
        '#C1',
        'https://x',
        '!date^',
        ' ',
      ),
    )
    .map((pieces) => pieces.join('')),
);

describe('the three characters that Slack escapes', () => {
  it('are what was said, once they are undone', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(said(escaped(one))).toBe(one);
      }),
    );
  });

  it('stand for themselves only where they make a form that calls nobody', () => {
    fc.assert(
      fc.property(text, (one) => {
        const bare = escaped(one).replace(/<(?:[@#][A-Z0-9]+|https:\/\/|!date\^)[^<>]*>/g, '');
        expect(bare).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
      }),
    );
  });

  it('are undone once: what looks like an entity was said', () => {
    expect(said('1 &lt; 2 &amp;&amp; 3 &gt; 2, &amp;lt; &quot;')).toBe('1 < 2 && 3 > 2, &lt; &quot;');
  });
});
