import { describe, expect, it } from 'vitest';
import { graphDot } from './dot.ts';
import { layersOf, longestChain } from './layers.ts';
import { layOut } from './layout.ts';
import { graphMermaid } from './mermaid.ts';
import { type Graph, graphData, graphOf } from './model.ts';
import { graphSvg } from './svg.ts';
import { graphText } from './text.ts';

it('shows a task for an agent by the name of that', () => {
  const tasks = [{ id: 'a', agent: 'My Agent', input: 'Hi' }];
  expect(graphData(graphOf({ tasks })).nodes).toEqual([{ id: 'a', call: 'agent My Agent', status: null }]);
});

const diamond = graphOf({
  name: 'Diamond',
  tasks: [
    { id: 'last', protocol: 'p/v1', method: 'm', needs: ['left', 'right', 'first'] },
    { id: 'left', protocol: 'p/v1', method: 'm', dependencies: ['first'] },
    { id: 'right', protocol: 'p/v1', method: 'm', params: { x: '${first.result}' } },
    { id: 'first', protocol: 'p/v1', method: 'm' },
  ],
});

const nasty: Graph = {
  name: '<script>"&',
  nodes: [
    { id: 'a"b]<i>\u001b[31m', call: 'p/v1 m\\', status: 'completed', needs: [] },
    { id: 'c', call: 'p/v1 m', status: 'skipped', needs: ['a"b]<i>\u001b[31m', 'gone'] },
  ],
};

describe('layers', () => {
  it('hold each task below all that it needs', () => {
    expect(layersOf(diamond.nodes).map((layer) => layer.map(({ id }) => id))).toEqual([
      ['first'],
      ['left', 'right'],
      ['last'],
    ]);
    expect(longestChain(diamond.nodes)).toEqual(['first', 'left', 'last']);
    expect(longestChain([])).toEqual([]);
  });

  it('are found for a hundred thousand tasks in a row', () => {
    const nodes = Array.from({ length: 100_000 }, (_, i) => ({
      id: `t${i}`,
      needs: i === 0 ? [] : [`t${i - 1}`],
    }));
    expect(layersOf(nodes)).toHaveLength(100_000);
    expect(longestChain(nodes)).toHaveLength(100_000);
  });
});

describe('a graph', () => {
  it('as text', () => {
    expect(graphText(diamond, { colour: false, columns: null })).toBe(`Diamond  4 tasks, 3 steps deep

  1  first  p/v1 m

  2  left   p/v1 m  ← first
     right  p/v1 m  ← first

  3  last   p/v1 m  ← left, right, first
`);
  });

  it.each([40, 60, 80])('as text that fits into %d columns', (columns) => {
    const long = {
      ...diamond,
      nodes: diamond.nodes.map((node) => ({ ...node, call: `${'long-'.repeat(6)}/v1 method` })),
    };
    const lines = graphText(long, { colour: false, columns }).split('\n').slice(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('right');
  });

  it('as data', () => {
    expect(graphData(diamond).edges).toContainEqual({ from: 'first', to: 'right' });
    expect(graphData(diamond).edges).toHaveLength(5);
  });

  it('as Mermaid', () => {
    expect(graphMermaid(diamond)).toBe(`---
title: "Diamond"
---
flowchart TD
  t1["last<br/><small>p/v1 m</small>"]
  t2["left<br/><small>p/v1 m</small>"]
  t3["right<br/><small>p/v1 m</small>"]
  t4["first<br/><small>p/v1 m</small>"]
  t2 --> t1
  t3 --> t1
  t4 --> t1
  t4 --> t2
  t4 --> t3
`);
  });

  it('as dot', () => {
    expect(graphDot(diamond)).toContain('  "first" -> "left";\n');
    expect(graphDot(nasty)).toContain('"a\\"b]<i>\u001b[31m" -> "c"');
  });

  it('as a picture, with everything escaped', () => {
    const svg = graphSvg(nasty);
    expect(svg).not.toContain('<script>');
    expect(svg).not.toContain('<i>');
    expect(svg).not.toContain('\u001b');
    expect(svg).toContain('&lt;script&gt;&quot;&amp;');
    expect(svg).toContain('prefers-color-scheme: dark');
    for (const unsafe of ['<i>', '\u001b']) expect(graphMermaid(nasty)).not.toContain(unsafe);
  });

  it('is laid out without tasks on top of each other, and lines between them', () => {
    const wide = graphOf({
      name: 'wide',
      tasks: Array.from({ length: 60 }, (_, i) => ({
        id: `task-${i}`,
        protocol: 'p/v1',
        method: 'm',
        dependencies: i < 3 ? [] : [`task-${i % 3}`, `task-${Math.floor(i / 2)}`],
      })),
    });
    const { spots, width, height } = layOut(wide);
    const rows = Map.groupBy(spots, ({ y }) => y);
    for (const row of rows.values()) {
      const sorted = row.toSorted((a, b) => a.x - b.x);
      for (const [i, spot] of sorted.entries()) {
        const next = sorted[i + 1];
        if (next !== undefined) expect(next.x - next.width / 2).toBeGreaterThan(spot.x + spot.width / 2);
        expect(spot.x - spot.width / 2).toBeGreaterThanOrEqual(0);
        expect(spot.x + spot.width / 2).toBeLessThanOrEqual(width);
        expect(spot.y).toBeLessThan(height);
      }
    }
  });
});
