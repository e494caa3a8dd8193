import { describe, expect, it } from 'vitest';
import { blocksOf, proseOf } from '../../scripts/documents/blocks.ts';
import { difference } from '../../scripts/documents/compare.ts';
import { anchorsOf, brokenLinks, linksOf } from '../../scripts/documents/links.ts';

const page = `# A page

Text with [a link](other.md#part) and \`[no link](nowhere.md)\`.

\`\`\`sh terminal=2 until="listens on"
echo '[none](either)'
\`\`\`

1. A list

   \`\`\`yaml file=a/b.yaml
   name: x
     deeper: y
   \`\`\`

## \`code\` & Signs, twice
## \`code\` & Signs, twice
<img src="image.svg">
`;

describe('a page', () => {
  it('has blocks with what their first line says', () => {
    expect(blocksOf(page)).toEqual([
      {
        language: 'sh',
        attributes: { terminal: '2', until: 'listens on' },
        text: "echo '[none](either)'\n",
        line: 5,
      },
      { language: 'yaml', attributes: { file: 'a/b.yaml' }, text: 'name: x\n  deeper: y\n', line: 11 },
    ]);
    expect(() => blocksOf('```sh\nnever ends')).toThrow('line 1');
  });

  it('has prose without code', () => {
    expect(proseOf(page)).not.toMatch(/echo|deeper|nowhere/);
  });

  it('has links and anchors', () => {
    expect(linksOf(page)).toEqual(['other.md#part', 'image.svg']);
    expect([...anchorsOf(page)]).toEqual(['a-page', 'code--signs-twice', 'code--signs-twice-1']);
  });

  it('is told its links that lead nowhere', () => {
    const text =
      '# Here\n[a](#here) [b](#there) [c](../README.md) [d](none.md) [e](https://example.org) [f](../../x)\n';
    expect(brokenLinks({ path: 'docs/x.md', text })).toEqual([
      'docs/x.md: #there has no such heading',
      'docs/x.md: none.md is not there',
      'docs/x.md: ../../x leads out of the project',
    ]);
  });
});

describe('an output', () => {
  const output = [
    '',
    'run 0197c2a4-7c1e-7d3a-9a51-2f6b8f0e4c11',
    '  ✓ greet  0.3s',
    'done in 12 ms at 10:11:12',
    '',
  ];

  it.each([
    'run 0197c2a4-7c1e-7d3a-9a51-000000000000\n  ✓ greet  1.5s\ndone in 9 ms at 01:01:01\n',
    'run …\n✓ greet …\ndone … at 01:01:01\n',
    '…\ndone in 9 ms at 01:01:01\n',
    'run …\n…\n',
    '…\n',
  ])('is as shown but for ids, times and what is left out: %j', (shown) => {
    expect(difference(shown, output)).toBeNull();
  });

  it.each(['run …\n', '…\n✗ greet 0.3s\n…\n', 'run …\n✓ greet\n…\n'])('is not as shown: %j', (shown) => {
    expect(difference(shown, output)).toContain('the page shows');
  });
});
