import { describe, expect, it } from 'vitest';
import type { Problem } from '../../files/problems.ts';
import { problemsText } from './problems.ts';

const problem: Problem = {
  severity: 'error',
  file: 'wf.yaml',
  path: 'tasks[0].timeout',
  line: 6,
  column: 14,
  message: 'must be a duration',
  found: '"3 days"',
  expected: 'a duration',
  hint: 'write 3d',
  code: 'GLZ1001',
  excerpt: { text: '    timeout: 3 days', length: 6 },
};

const long = `${'a'.repeat(100)}MISTAKE${'b'.repeat(100)}`;

describe('a problem', () => {
  it('is shown with its line, a caret and a hint', () => {
    expect(
      problemsText([problem], { colour: false }),
    ).toBe(`wf.yaml:6:14  error  GLZ1001  tasks[0].timeout: must be a duration, found "3 days"
     6 |     timeout: 3 days
       |              ^^^^^^  hint: write 3d
`);
  });

  it('is shown without a line where that is long or secret', () => {
    expect(
      problemsText([{ ...problem, excerpt: null }], { colour: false })
        .split('\n')
        .slice(1),
    ).toEqual(['         hint: write 3d', '']);
  });

  it.each([40, 80, 120])('shows the part of a long line that fits into %d columns', (columns) => {
    const wide = { ...problem, column: 101, excerpt: { text: long, length: 7 }, hint: 'h'.repeat(60) };
    const lines = problemsText([wide], { colour: false, columns }).split('\n');
    for (const each of lines) expect(each.length).toBeLessThanOrEqual(columns);
    const [line = '', carets = ''] = lines.filter((each) => each.includes(' | '));
    expect(line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('MISTAKE');
  });

  it('shows as much as fits of words that do not', () => {
    const wide = { ...problem, column: 3, excerpt: { text: `x ${long}`, length: 200 }, hint: null };
    const lines = problemsText([wide], { colour: false, columns: 60 }).split('\n');
    const [line = '', carets = ''] = lines.filter((each) => each.includes(' | '));
    expect(line.length).toBeLessThanOrEqual(60);
    expect(carets.length).toBeLessThanOrEqual(60);
  });

  it('points right behind tabs and wide letters', () => {
    const odd = { ...problem, column: 6, excerpt: { text: '\t表記: x', length: 1 }, hint: null };
    expect(problemsText([odd], { colour: false }).split('\n')[2]).toBe('       | \t      ^');
  });

  it('has colours where they are wanted', () => {
    expect(problemsText([{ ...problem, severity: 'note' }], { colour: true })).toContain('\u001b[36mnote');
  });
});
