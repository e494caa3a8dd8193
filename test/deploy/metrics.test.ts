import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allPages } from '../../scripts/documents/pages.ts';
import { projectRoot } from '../../scripts/source/files.ts';
import { BridgeMetrics } from '../../src/telemetry/bridge-metrics.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const now = { wall: () => 0, monotonic: () => 0 };
const engine = new Metrics({
  clock: now,
  stats: () => Promise.reject(new Error('nobody looks')),
  providers: () => [],
  isProtocol: () => true,
  isMethod: () => true,
});
const bridge = new BridgeMetrics({
  clock: now,
  counts: () => null,
  lag: async () => ({ messages: 0, partitions: [] }),
  group: 'http-bridge',
  reachable: () => true,
  providers: () => [],
  isProtocol: () => true,
});
const toldBy = async (metrics: { text(): Promise<string> }) =>
  [...(await metrics.text()).matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name);

/** What engines and bridges can tell: names of ours, and those of the client for Node. */
const own = new Set(
  [...(await toldBy(engine)), ...(await toldBy(bridge))].filter((name) => !/^(?:process|nodejs)_/.test(name)),
);
const ofNode = (() => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register.getMetricsAsArray().map(({ name }) => name);
})();
const known = new Set([...own, ...ofNode]);

/** Words that look like names of metrics; what a histogram is made of goes by the name of the histogram. */
function namesIn(text: string): string[] {
  const words = text.match(
    /\b(?:gleitzeit|agent_protocol|protocol_translation(?!_error\b)|process|nodejs)_[a-z0-9_]*[a-z0-9]\b/g,
  );
  return [...new Set(words ?? [])].map((word) => {
    const whole = word.replace(/_(?:bucket|sum|count)$/, '');
    return known.has(word) ? word : whole;
  });
}

type Panel = {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
};
const dashboards = ['deploy/grafana/dashboard.json', 'examples/12-observability/grafana-dashboard.json'].map(
  (path) => ({ path, panels: (JSON.parse(read(path)) as { panels: readonly Panel[] }).panels }),
);
const queries = dashboards.flatMap(({ path, panels }) =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ where: `${path}: ${title}`, ...target })),
  ),
);

describe('what the code can tell', () => {
  it('is asked of it', () => {
    expect([...own]).toEqual(
      expect.arrayContaining(['gleitzeit_tasks', 'gleitzeit_bridge_lag', 'agent_protocol_requests_total']),
    );
    expect(ofNode).toContain('process_cpu_seconds_total');
  });

  it('is told apart from what it cannot', () => {
    expect(namesIn('rate(gleitzeit_commit_duration_seconds_bucket[5m]) + gleitzeit_takss')).toEqual([
      'gleitzeit_commit_duration_seconds',
      'gleitzeit_takss',
    ]);
  });
});

describe('dashboards', () => {
  it.each(queries)('$where ($refId) asks for what there is', ({ expr }) => {
    const names = namesIn(expr);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(queries)('$where ($refId) shows labels that its query leaves', ({ expr, legendFormat }) => {
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    const left = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
    const aggregated = /\b(?:sum|max|min|avg|histogram_quantile)\b/.test(expr);
    const may = aggregated ? left : ['instance', 'job'];
    expect(shown.filter((label) => !may.includes(label))).toEqual([]);
  });

  it.each(dashboards)('$path has panels that do not lie upon one another', ({ panels }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const fields = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, index) => `${x + (index % w)}/${y + Math.floor(index / w)}`),
    );
    expect(new Set(fields).size).toBe(fields.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });

  it('show everything that bridges tell, and engines of the broker', () => {
    const shown = new Set(queries.flatMap(({ expr }) => namesIn(expr)));
    expect(
      [...own].filter((name) => /^gleitzeit_(?:bridge|dispatch)_/.test(name) && !shown.has(name)),
    ).toEqual([]);
  });
});

describe('alerts', () => {
  const rules: readonly { alert: string; expr: string; annotations?: { summary: string } }[] = [
    'deploy/alerts.yml',
    'examples/12-observability/alerts.yml',
  ].flatMap((path) =>
    (parse(read(path)) as { groups: { rules: [] }[] }).groups.flatMap(({ rules }) => rules),
  );

  it.each(rules)('$alert asks for what there is', ({ expr }) => {
    expect(namesIn(expr).length).toBeGreaterThan(0);
    expect(namesIn(expr).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(rules.filter(({ annotations }) => annotations?.summary.includes('docs/')))(
    '$alert names a heading that is there',
    ({ annotations }) => {
      const [, page = '', heading = ''] = /(docs\/\S+\.md)#(\S+)/.exec(annotations?.summary ?? '') ?? [];
      const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(headings).toContain(heading);
    },
  );
});

describe('deploy/prometheus.yml', () => {
  type Job = { authorization: object; dns_sd_configs: { names: string[]; port: number }[] };
  const { scrape_configs, rule_files }: { scrape_configs: Job[]; rule_files: string[] } = parse(
    read('deploy/prometheus.yml'),
  );

  it('looks at the services of docker-compose.yml, with a key, and at rules that are there', () => {
    const { services } = parse(read('deploy/docker-compose.yml'), { merge: true });
    const targets = scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(targets.flatMap(({ names }) => names)).toEqual(['engine', 'bridge']);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['engine', 'bridge']));
    const port = Number(services.bridge.environment.GLEITZEIT_BRIDGE_PORT);
    expect(targets.map((target) => target.port)).toEqual([
      parse(read('deploy/gleitzeit.yaml')).server.port,
      port,
    ]);
    for (const { authorization } of scrape_configs) expect(authorization).toHaveProperty('credentials_file');
    for (const file of rule_files) expect(read(`deploy/${file}`)).toContain('alert:');
  });
});

describe('pages', () => {
  const pages = allPages().filter(({ path }) => path.startsWith('docs/') || path.startsWith('examples/'));

  it.each(pages.filter(({ text }) => namesIn(text).length > 0))(
    '$path speaks of metrics that there are',
    ({ text }) => {
      expect(namesIn(text).filter((name) => !known.has(name))).toEqual([]);
    },
  );
});
