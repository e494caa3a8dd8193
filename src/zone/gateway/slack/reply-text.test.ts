import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_REPLY, replyText } from './reply-text.ts';

describe('a reply', () => {
  it.each([
    ['<!channel> look', '&lt;!channel&gt; look'],
    ['a <!here|here> b <!everyone>', 'a &lt;!here|here&gt; b &lt;!everyone&gt;'],
    ['<!subteam^S1|@all>', '&lt;!subteam^S1|@all&gt;'],
    ['<<!channel>', '&lt;&lt;!channel&gt;'],
  ])('calls nobody: %s', (said, posted) => expect(replyText(said)).toBe(posted));

  it.each(['<@U1> asked, see <#C1> and <https://example.org|this>', '<!date^1392734382^{date}|then>'])(
    'is posted as it is: %s',
    (text) => expect(replyText(text)).toBe(text),
  );

  it.each([
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['see <https://example.org/?a=1&b=2|it>', 'see <https://example.org/?a=1&amp;b=2|it>'],
    ['write &lt; for <', 'write &amp;lt; for &lt;'],
    ['<b>bold</b>', '&lt;b&gt;bold&lt;/b&gt;'],
  ])('is shown as it was said: %s', (said, posted) => expect(replyText(said)).toBe(posted));

  it('ends with nothing that is half an entity or half a form', () => {
    const end = (text: string) => replyText('x'.repeat(LONGEST_REPLY - 3) + text).slice(LONGEST_REPLY - 3);
    expect(end('&&')).toBe('…');
    expect(end('<https://example.org>')).toBe('…');
    expect(end('yes, no')).toBe('ye…');
  });

  it('is as long as the chat takes it, after all', () => {
    expect(replyText('x'.repeat(LONGEST_REPLY))).toHaveLength(LONGEST_REPLY);
    const long = replyText('<!channel>'.repeat(LONGEST_REPLY));
    expect(long.length).toBeGreaterThan(LONGEST_REPLY - 10);
    expect(long.length).toBeLessThanOrEqual(LONGEST_REPLY);
    expect(long.endsWith('…')).toBe(true);
    expect(replyText(`${'x'.repeat(LONGEST_REPLY - 2)}😀😀`)).toBe(`${'x'.repeat(LONGEST_REPLY - 2)}…`);
  });

  it('calls nobody, whatever stands in it', () => {
    const piece = fc.constantFrom('<', '!', 'channel', '>', 'date^', '&lt;', ' ');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(replyText(pieces.join(''))).not.toMatch(/<!(?!date\^)/);
      }),
    );
  });
});
