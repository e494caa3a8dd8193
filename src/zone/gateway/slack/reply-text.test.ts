import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_REPLY, replyText } from './reply-text.ts';

describe('a reply', () => {
  it.each([
    ['<!channel> look', '&lt;!channel> look'],
    ['a <!here|here> b <!everyone>', 'a &lt;!here|here> b &lt;!everyone>'],
    ['<!subteam^S1|@all>', '&lt;!subteam^S1|@all>'],
    ['<<!channel>', '<&lt;!channel>'],
  ])('calls nobody: %s', (said, posted) => expect(replyText(said)).toBe(posted));

  it.each([
    '<@U1> asked, see <#C1> and <https://example.org|this>',
    '<!date^1392734382^{date}|then>',
    'a < b, and !x',
  ])('is posted as it is: %s', (text) => expect(replyText(text)).toBe(text));

  it('is as long as the chat takes it, after all', () => {
    expect(replyText('x'.repeat(LONGEST_REPLY))).toHaveLength(LONGEST_REPLY);
    const long = replyText('<!channel>'.repeat(LONGEST_REPLY));
    expect(long).toHaveLength(LONGEST_REPLY);
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
