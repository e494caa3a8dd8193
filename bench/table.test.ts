import { describe, expect, it } from 'vitest';
import type { Report, Row } from './report.ts';
import { renderMarkdown, renderTable } from './table.ts';

const report: Report = {
  machine: {
    cpu: 'a cpu',
    cores: 2,
    memory_gb: 4,
    system: 'linux',
    node: 'v26.0.0',
    fsync_ms: { p50: 0.5, p99: 2 },
    load: 0.1,
    date: '2026-01-01',
  },
  quick: false,
  rows: [
    {
      workload: 'W1',
      system: 'a',
      store: 'sqlite',
      durability: 'FULL',
      unit: 'tasks/s',
      value: 1234.5,
      runs: [],
      worst: 1000,
    },
    {
      workload: 'W3',
      system: 'a',
      store: 'sqlite',
      durability: 'FULL',
      metric: 'p50',
      unit: 'ms',
      value: 1.234,
      runs: [],
      worst: 2,
    },
    {
      workload: 'W3',
      system: 'a',
      store: 'sqlite',
      durability: 'FULL',
      metric: 'p99',
      unit: 'ms',
      value: 12.34,
      runs: [],
      worst: 20,
    },
  ],
  absent: [
    { workload: 'W3', system: 'b', store: 'redis', reason: 'no clock' },
    { workload: 'W8', system: 'b', store: 'redis', reason: 'no bulk submit' },
  ],
  failed: [{ workload: 'W1', system: 'b', store: 'redis', error: 'gone' }],
  notes: { a: ['as shipped.'] },
};

describe('renderTable', () => {
  it('has a line per figure and a column per system and store', () => {
    const lines = renderTable(report)
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((text) => text.trim()),
      );
    expect(lines[0]).toEqual(['', 'a sqlite', 'b redis']);
    expect(lines[2]).toEqual(['durability', 'FULL', '–']);
    expect(lines.slice(3)).toEqual([
      [expect.stringMatching(/^W1 .*, tasks\/s$/), '1,235 (1,000)', 'failed'],
      [expect.stringMatching(/^W3 .*, p50 ms$/), '1.23 (2)', '–'],
      [expect.stringMatching(/^W3 .*, p99 ms$/), '12.3 (20)', '–'],
      [expect.stringMatching(/^W8 /), '–', '–'],
    ]);
  });
});

describe('a rate that is compared with the bare loop', () => {
  it('has a second line with its share', () => {
    const of = (system: string, share: object): Row => ({
      ...{ workload: 'W10', system, store: 'sqlite', durability: 'FULL', metric: 'chain', unit: 'runs/s' },
      ...{ value: 500, runs: [], worst: 400, ...share },
    });
    const rows = [
      of('a', { bare: 1000, share_of_bare: 0.5 }),
      of('b', {}),
      of('c', { share_of_bare: 0.031 }),
    ];
    const lines = renderTable({ ...report, rows, absent: [], failed: [] }).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[3]).toMatch(/chain runs\/s *\| *500 \(400\) \|/);
    expect(lines[4]).toMatch(/chain share of the bare loop *\| *0\.50 \| *– \| *0\.031 \|/);
  });
});

describe('renderMarkdown', () => {
  it('names the machine, the date, the settings and the reasons', () => {
    const text = renderMarkdown(report);
    expect(text).toContain('2026-01-01, a cpu, 2 cores, 4 GB');
    expect(text).toContain('- **a**: as shipped.');
    expect(text).toContain('- b W8: no bulk submit');
  });
});
