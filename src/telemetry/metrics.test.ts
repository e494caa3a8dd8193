import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorRecord } from '../core/errors.ts';
import type { ObservedAttempt } from '../core/ports/observer.ts';
import type { QueueStats } from '../core/ports/store.ts';
import { defaultRetry } from '../core/retry.ts';
import { type ApiStats, Metrics } from './metrics.ts';

function setUp(stats: Partial<QueueStats> = {}) {
  let now = 0;
  let reads = 0;
  let broken = false;
  let server: ApiStats | null = null;
  const metrics = new Metrics({
    clock: { wall: () => now, monotonic: () => now },
    stats: async () => {
      reads++;
      if (broken) throw new Error('away');
      return {
        tasks: {},
        runs: {},
        queued: [],
        paused: { all: false, protocols: [] },
        ...stats,
      } as QueueStats;
    },
    providers: () => [
      { id: 'one', in_flight: 2, breakers: [{ state: 'open' }, { state: 'closed' }], rate: { left: 3 } },
      { id: 'one', in_flight: 1, breakers: [{ state: 'half_open' }], rate: null },
      { id: 'two', in_flight: 0, breakers: [], rate: null },
    ],
    waiting: () => [
      { protocol: 'web/v1', kind: 'rate', waiting: 5 },
      { protocol: 'foreign', kind: 'rate', waiting: 1 },
    ],
    server: async () => server,
    isProtocol: (name) => name.endsWith('/v1'),
    isMethod: (name) => name === 'task.submit',
  });
  const lines = async (name: string) => {
    const text = await metrics.text();
    return text.split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line));
  };
  const breakStore = () => {
    broken = true;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  const open = (stats: ApiStats) => {
    server = stats;
  };
  return { metrics, lines, reads: () => reads, breakStore, pass, open };
}

const spec = {
  name: 'n',
  protocol: 'web/v1',
  method: 'search',
  dependencies: [],
  retry_config: defaultRetry,
  timeout: 30,
};

const attempt = (task_id: string, n = 1, protocol = 'web/v1'): ObservedAttempt => ({
  task: { task_id, id: task_id, workflow_id: null, priority: 'normal', created_at: 0 },
  spec: { ...spec, protocol },
  attempt: n,
  provider: 'one',
});

describe('metrics of the engine', () => {
  it('count what is submitted, tried, tried again and settled', async () => {
    const { metrics, lines } = setUp();
    const { observer } = metrics;
    const task = { task_id: 't', id: 't', priority: 'normal', spec } as const;
    observer.submitted([
      { workflow: null, tasks: [task] },
      {
        workflow: { workflow_id: 'w', name: 'n' },
        tasks: [task, { ...task, spec: { ...spec, protocol: 'x' } }],
      },
    ]);
    const first = observer.attemptStarted(attempt('t'));
    expect(first.traceparent).toBeNull();
    expect(await lines('gleitzeit_attempts_running')).toEqual(['gleitzeit_attempts_running 1']);
    first.ended({ word: 'failed', error: errorRecord('GLZ2002', 'refused') }, 20);
    observer.attemptStarted(attempt('t', 2)).ended({ word: 'done', result: '1' }, 3000);
    observer.attemptStarted(attempt('u')).ended(null, 1);
    observer.settled({ task_id: 't', workflow_id: null, status: 'completed' });
    observer.settled({ task_id: 'never-tried', workflow_id: null, status: 'skipped' });
    expect(await lines('gleitzeit_tasks_submitted_total')).toEqual([
      'gleitzeit_tasks_submitted_total{protocol="web/v1"} 2',
      'gleitzeit_tasks_submitted_total{protocol="other"} 1',
    ]);
    expect(await lines('gleitzeit_workflows_submitted_total')).toEqual([
      'gleitzeit_workflows_submitted_total 1',
    ]);
    expect(await lines('gleitzeit_attempt_duration_seconds_count')).toEqual([
      'gleitzeit_attempt_duration_seconds_count{protocol="web/v1",outcome="transport"} 1',
      'gleitzeit_attempt_duration_seconds_count{protocol="web/v1",outcome="done"} 1',
      'gleitzeit_attempt_duration_seconds_count{protocol="web/v1",outcome="dropped"} 1',
    ]);
    expect(await lines('gleitzeit_attempt_duration_seconds_sum')).toContain(
      'gleitzeit_attempt_duration_seconds_sum{protocol="web/v1",outcome="done"} 3',
    );
    expect(await lines('gleitzeit_retries_total')).toEqual(['gleitzeit_retries_total{protocol="web/v1"} 1']);
    expect(await lines('gleitzeit_attempts_running')).toEqual(['gleitzeit_attempts_running 0']);
    expect(await lines('gleitzeit_tasks_settled_total')).toEqual([
      'gleitzeit_tasks_settled_total{protocol="web/v1",status="completed"} 1',
      'gleitzeit_tasks_settled_total{protocol="other",status="skipped"} 1',
    ]);
  });

  it('count commits, their size, their failures, and leases lost', async () => {
    const { metrics, lines } = setUp();
    metrics.observer.committed({ writes: 3, claimed: 2, ms: 4 });
    metrics.observer.committed({ writes: 0, claimed: 0, ms: 1 });
    metrics.observer.commitFailed('GLZ3001');
    metrics.observer.leaseLost();
    expect(await lines('gleitzeit_commit_writes_sum')).toEqual(['gleitzeit_commit_writes_sum 3']);
    expect(await lines('gleitzeit_commit_duration_seconds_count')).toEqual([
      'gleitzeit_commit_duration_seconds_count 2',
    ]);
    expect(await lines('gleitzeit_tasks_claimed_total')).toEqual(['gleitzeit_tasks_claimed_total 2']);
    expect(await lines('gleitzeit_store_errors_total')).toEqual([
      'gleitzeit_store_errors_total{error_code="GLZ3001"} 1',
    ]);
    expect(await lines('gleitzeit_leases_lost_total')).toEqual(['gleitzeit_leases_lost_total 1']);
  });
});

describe('metrics of the queue', () => {
  const stats: Partial<QueueStats> = {
    tasks: { queued: 3, completed: 9 },
    runs: { running: 1 },
    queued: [
      { protocol: 'web/v1', priority: 'high', count: 2, oldest_created_at: null },
      { protocol: 'foreign', priority: 'low', count: 1, oldest_created_at: null },
      { protocol: 'strange', priority: 'low', count: 4, oldest_created_at: null },
    ],
  };

  it('are what the store says', async () => {
    const { lines } = setUp(stats);
    expect(await lines('gleitzeit_tasks')).toEqual([
      'gleitzeit_tasks{status="queued"} 3',
      'gleitzeit_tasks{status="completed"} 9',
    ]);
    expect(await lines('gleitzeit_workflows')).toEqual(['gleitzeit_workflows{status="running"} 1']);
    expect(await lines('gleitzeit_queue_depth')).toEqual([
      'gleitzeit_queue_depth{protocol="web/v1",priority="high"} 2',
      'gleitzeit_queue_depth{protocol="other",priority="low"} 5',
    ]);
  });

  it('are read once for all who look within a few seconds, and left out while the store is away', async () => {
    const { lines, reads, breakStore, pass } = setUp(stats);
    await Promise.all([lines('gleitzeit_tasks'), lines('gleitzeit_tasks')]);
    expect(reads()).toBe(1);
    pass(4999);
    await lines('gleitzeit_tasks');
    expect(reads()).toBe(1);
    pass(1);
    breakStore();
    expect(await lines('gleitzeit_tasks')).toEqual([]);
    expect(await lines('gleitzeit_leases_lost_total')).toHaveLength(1);
    expect(reads()).toBe(2);
  });
});

describe('metrics of providers and of the API', () => {
  it('count calls by provider and outcome, and what is in flight', async () => {
    const { metrics, lines } = setUp();
    metrics.providerCall({ provider: 'one', outcome: 'done', ms: 12 });
    expect(await lines('gleitzeit_provider_call_duration_seconds_count')).toEqual([
      'gleitzeit_provider_call_duration_seconds_count{provider="one",outcome="done"} 1',
    ]);
    expect(await lines('gleitzeit_provider_calls_in_flight')).toEqual([
      'gleitzeit_provider_calls_in_flight{provider="one"} 3',
      'gleitzeit_provider_calls_in_flight{provider="two"} 0',
    ]);
  });

  it('tell what keeps calls from providers, and how many wait for it', async () => {
    const { metrics, lines } = setUp();
    metrics.hedged('web/v1', 'won');
    metrics.hedged('guessed', 'lost');
    for (const look of [1, 2]) {
      const all = await lines('gleitzeit_(?:provider_breakers|provider_rate_left|pool_waiting|hedges_total)');
      expect(
        all.map((line) => line.replace('gleitzeit_', '')),
        `${look}`,
      ).toEqual([
        'provider_breakers{provider="one",state="open"} 1',
        'provider_breakers{provider="one",state="half_open"} 1',
        'provider_breakers{provider="two",state="open"} 0',
        'provider_breakers{provider="two",state="half_open"} 0',
        'provider_rate_left{provider="one"} 3',
        'pool_waiting{protocol="web/v1",kind="rate"} 5',
        'pool_waiting{protocol="other",kind="rate"} 1',
        'hedges_total{protocol="web/v1",outcome="won"} 1',
        'hedges_total{protocol="other",outcome="lost"} 1',
      ]);
    }
  });

  it('count calls of the API by method and code', async () => {
    const { metrics, lines } = setUp();
    metrics.apiCalled('task.submit', 2, null);
    metrics.apiCalled('task.submit', 2, -32602);
    metrics.apiCalled('no.such.method', 1, -32601);
    metrics.apiCalled(null, 1, -32700);
    expect(await lines('gleitzeit_api_calls_total')).toEqual([
      'gleitzeit_api_calls_total{method="task.submit",code="ok"} 1',
      'gleitzeit_api_calls_total{method="task.submit",code="-32602"} 1',
      'gleitzeit_api_calls_total{method="other",code="-32601"} 1',
      'gleitzeit_api_calls_total{method="other",code="-32700"} 1',
    ]);
    expect(await lines('gleitzeit_api_call_duration_seconds_count')).toHaveLength(2);
  });

  it('tell what the server knows of itself, and nothing while there is none', async () => {
    const { lines, open } = setUp();
    expect(await lines('gleitzeit_api_connections')).toEqual([]);
    expect(await lines('gleitzeit_api_requests')).toEqual(['gleitzeit_api_requests 0']);
    open({
      connections: 10,
      sockets: 3,
      streams: 2,
      requests: 4,
      held_bytes: 100,
      refused: { 429: 7 },
      followers: 6,
      events_sent: 50,
    });
    const expected = {
      gleitzeit_api_connections: ['{carrier="websocket"} 3', '{carrier="sse"} 2', '{carrier="http"} 5'],
      gleitzeit_api_requests: [' 4'],
      gleitzeit_api_held_bytes: [' 100'],
      gleitzeit_api_refused_total: ['{status="429"} 7'],
      gleitzeit_api_subscriptions: [' 6'],
      gleitzeit_api_events_sent_total: [' 50'],
    };
    for (const look of [1, 2])
      for (const [name, values] of Object.entries(expected))
        expect(await lines(name), `${look}`).toEqual(values.map((value) => name + value));
  });

  it('have no more series than labels may have values, whatever names come', async () => {
    const { metrics, lines } = setUp();
    for (let n = 0; n < 500; n++) {
      metrics.providerCall({ provider: `p${n}`, outcome: 'done', ms: 1 });
      metrics.observer.attemptStarted(attempt(`t${n}`, 2, `p${n}/v1`));
      metrics.apiCalled(`guess-${n}`, 1, n);
    }
    expect(await lines('gleitzeit_provider_call_duration_seconds_count')).toHaveLength(101);
    expect(await lines('gleitzeit_retries_total')).toHaveLength(101);
    expect(await lines('gleitzeit_api_calls_total')).toHaveLength(101);
  });

  it('tell of the process', async () => {
    const { lines } = setUp();
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_seconds',
    ])
      expect(await lines(name)).toHaveLength(1);
  });
});

describe('docs/reference/metrics.md', () => {
  const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
  const rows = [
    ...page.matchAll(
      /^\| `((?:gleitzeit_(?!bridge_)|agent_protocol_|protocol_translation_)\w+)` \| (\w+) \| ([^|]*) \| ([^|]+) \|$/gm,
    ),
  ].map(([, name, type, labels]) => ({
    name,
    type,
    labels: [...String(labels).matchAll(/`(\w+)`/g)].map(([, l]) => l),
  }));

  const isOurs = /^(gleitzeit|agent_protocol|protocol_translation)_/;

  it('names every metric of ours with its kind and labels, and no other', () => {
    const { metrics } = setUp();
    const ours = metrics.list().filter(({ name }) => isOurs.test(name));
    expect(rows).toEqual(ours.map(({ name, type, labels }) => ({ name, type, labels })));
  });

  it('says of the rest where it comes from', () => {
    const { metrics } = setUp();
    const foreign = metrics.list().filter(({ name }) => !isOurs.test(name));
    for (const { name } of foreign) expect(name).toMatch(/^(process|nodejs)_/);
    expect(page).toContain('`process_*`');
    expect(page).toContain('`nodejs_*`');
  });
});
