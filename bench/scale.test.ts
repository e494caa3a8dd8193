import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../scripts/source/files.ts';
import { seed } from '../test/seed.ts';
import { type Load, readInputs, type Setup } from './scale/inputs.ts';
import { added, atWork, limit, stationsOf, throughput } from './scale/model.ts';
import { meanWait } from './scale/queueing.ts';
import { report } from './scale/report.ts';
import { systemsFor, turn } from './scale/turn.ts';

const inputs = readInputs();
const { costs } = inputs;
const known = { ...costs, kafka_us: { ...costs.kafka_us, value: 15 } };

const upTo = (max: number) => fc.integer({ min: 1, max });
const setups: fc.Arbitrary<Setup> = fc.record({
  engines: upTo(50),
  bridges: upTo(100),
  partitions: upTo(100),
  window: upTo(2000),
  concurrency: upTo(2000),
  kafka_cores: upTo(64),
  postgres_cores: upTo(64),
});
const loads: fc.Arbitrary<Load> = fc.record({
  steps_per_second: upTo(2_000_000),
  agent_ms: upTo(60_000),
  agents: upTo(100),
});
const most = (setup: Setup, load: Load) => throughput(stationsOf(known, setup, load));
const holds = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) =>
  fc.assert(property, { seed, numRuns: 500 });

describe('what a system can do', () => {
  it.each(['engines', 'bridges', 'window', 'concurrency', 'kafka_cores', 'postgres_cores'] as const)(
    'is never less with more %s',
    (knob) => {
      holds(
        fc.property(setups, loads, upTo(200), (setup, load, more) => {
          const larger = { ...setup, [knob]: setup[knob] + more };
          expect(most(larger, load)).toBeGreaterThanOrEqual(most(setup, load));
        }),
      );
    },
  );

  it('is never less with so many times the partitions', () => {
    holds(
      fc.property(setups, loads, upTo(5), (setup, load, times) => {
        const finer = { ...setup, partitions: setup.partitions * times };
        expect(most(finer, load)).toBeGreaterThanOrEqual(most(setup, load) * (1 - 1e-9));
      }),
    );
  });

  it('is never more when a step costs more', () => {
    holds(
      fc.property(
        setups,
        loads,
        fc.constantFrom('engine_us', 'bridge_us', 'kafka_us', 'postgres_us'),
        (setup, load, cost) => {
          const dearer = { ...known, [cost]: { ...known[cost], value: (known[cost].value ?? 0) * 2 } };
          expect(throughput(stationsOf(dearer, setup, load))).toBeLessThanOrEqual(most(setup, load));
        },
      ),
    );
  });

  it('does not hang on how much is asked of it', () => {
    holds(
      fc.property(setups, loads, (setup, load) => {
        expect(most(setup, { ...load, steps_per_second: 1 })).toBe(most(setup, load));
      }),
    );
  });

  it('leaves out what nobody has measured', () => {
    const unknown = { ...costs, kafka_us: { ...costs.kafka_us, value: null } };
    const kafka = stationsOf(unknown, inputs.setup, inputs.load).find(({ name }) => name === 'kafka');
    expect(kafka).toEqual({ name: 'kafka', capacity: null, stay_ms: 0 });
  });
});

describe('bridges at work', () => {
  it.each([
    [12, 1, 1],
    [12, 2, 2],
    [12, 8, 6],
    [12, 12, 12],
    [12, 40, 12],
  ])('%i partitions on %i do the work of %i', (partitions, bridges, worth) => {
    expect(atWork({ partitions, bridges })).toBe(worth);
  });
});

describe('the time a step waits', () => {
  it('is that of the textbook for one server', () => {
    holds(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), (load) => {
        expect(meanWait(1, load)).toBeCloseTo(load / (1 - load), 6);
      }),
    );
  });

  it('is shorter where more servers are as busy', () => {
    holds(
      fc.property(upTo(200), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (servers, busy) => {
        expect(meanWait(servers + 1, busy * (servers + 1))).toBeLessThanOrEqual(
          meanWait(servers, busy * servers),
        );
      }),
    );
  });

  it('grows with the load, and has no end where there is too much', () => {
    holds(
      fc.property(setups, loads, (setup, load) => {
        const more = { ...load, steps_per_second: load.steps_per_second * 2 };
        const stay = (asked: Load) => added(known, stationsOf(known, setup, asked));
        expect(stay(more)).toBeGreaterThanOrEqual(stay(load));
      }),
    );
    expect(meanWait(2, 2)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('turning', () => {
  const parts = { ...inputs, costs: known };

  it('ends with room for the load, or at a part that cannot be turned further', () => {
    holds(
      fc.property(setups, loads, (setup, load) => {
        const { setup: turned, end } = turn(parts, setup, load);
        const stations = stationsOf(known, turned, load);
        if (end === null) expect(throughput(stations)).toBeGreaterThanOrEqual(load.steps_per_second);
        else expect(['postgres', 'feed'], limit(stations)?.name).toContain(end);
      }),
    );
  });

  it('turns nothing back, and nothing that is wide enough', () => {
    holds(
      fc.property(setups, loads, (setup, load) => {
        const { setup: turned, turns } = turn(parts, setup, load);
        for (const { from, to } of turns) expect(to).toBeGreaterThan(from);
        const touched = new Set(turns.map(({ knob }) => knob));
        for (const knob of Object.keys(setup) as (keyof Setup)[])
          if (!touched.has(knob)) expect(turned[knob]).toBe(setup[knob]);
        expect(turn(parts, turned, load).turns).toEqual([]);
      }),
    );
  });
});

describe('several systems', () => {
  const parts = { ...inputs, costs: known };

  it('are as many as are needed, and no more', () => {
    fc.assert(
      fc.property(loads, (load) => {
        const systems = systemsFor(parts, inputs.setup, load);
        const end = (among: number) =>
          turn(parts, inputs.setup, { ...load, steps_per_second: load.steps_per_second / among }).end;
        expect(end(systems)).toBeNull();
        if (systems > 1) expect(end(systems - 1)).not.toBeNull();
      }),
      { seed, numRuns: 100 },
    );
  });
});

describe('the inputs', () => {
  it('say of each figure where it was measured, or what would measure it', () => {
    for (const { value, is, measured, better } of Object.values(costs)) {
      expect(value === null).toBe(is === 'unknown');
      expect(better).not.toBe('');
      if (value === null) continue;
      expect(value).toBeGreaterThan(0);
      expect(existsSync(join(projectRoot, measured.split(',')[0] ?? ''))).toBe(true);
    }
  });

  it('give a report of every load, without a figure that nobody has', () => {
    const text = report(inputs);
    for (const times of inputs.load.times) expect(text).toContain(`## ${times} ×`);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null/);
  });
});
