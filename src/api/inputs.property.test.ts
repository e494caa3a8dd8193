import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTask, parseWorkflow } from '../core/definition.ts';
import type { Json } from '../core/json.ts';
import { schemaCompiler } from '../registry/compile.ts';
import { taskInput } from './shapes/task.ts';
import { workflowInput } from './shapes/workflow.ts';

const compile = schemaCompiler();
const fits = {
  task: compile('/task', JSON.parse(JSON.stringify(taskInput))),
  workflow: compile('/workflow', JSON.parse(JSON.stringify(workflowInput))),
};

function takes(parse: (value: unknown) => unknown, value: unknown): boolean {
  try {
    parse(value);
    return true;
  } catch {
    return false;
  }
}

const name = fc.constantFrom('a', 'b', 'c', 'search task', '', ' a', 7);
const duration = fc.constantFrom(0, 1, 0.5, -1, '30s', '250ms', 'PT30S', 'soon', null, true);
/** An object with a few of the fields: with all of them hardly one would be right. */
function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .subarray(Object.keys(fields), { maxLength: 3 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((key) => [key, fields[key] ?? fc.constant(1)]))),
    );
}

const retry = some({
  max_attempts: fc.constantFrom(1, 3, 1000, 0, 1.5),
  backoff: fc.constantFrom('fixed', 'linear', 'exponential', 'none'),
  initial_delay: duration,
  multiplier: fc.constantFrom(1, 2, 0),
  max_delay: duration,
  jitter: fc.constantFrom(0, 0.5, 1, 2),
  max_total: duration,
  retry_on: fc.constantFrom([], ['timeout'], ['never'], 'timeout'),
  retries: fc.constant(1),
});
const task = (links: fc.Arbitrary<unknown>) =>
  some({
    id: name,
    name,
    params: fc.constantFrom({}, { q: 1 }, [], null, { q: '${a.result}' }, { q: '${workflow.input}' }),
    dependencies: links,
    needs: links,
    priority: fc.constantFrom('urgent', 'low', 'lowest', 1),
    retry_config: retry,
    timeout: duration,
    total_timeout: duration,
    on_failure: fc.constantFrom('skip', 'continue', 'fail'),
    input: fc.constantFrom({}, 'Hi', { q: '${a.result}' }, 5, null),
    retrys: fc.constant(1),
  }).chain((fields) =>
    fc.constantFrom(
      { protocol: 'p/v1', method: 'm', ...fields },
      { agent: 'A', ...fields },
      { agent: 'A', protocol: 'agent/v1', method: 'send', ...fields },
      { protocol: 'p/v1', ...fields },
      { agent: '', ...fields },
    ),
  );
const workflow = some({
  workflow_id: fc.option(name),
  name,
  version: fc.option(name),
  task: fc.constant({}),
});

describe('what the engine takes', () => {
  it('is what the schema of a task describes', () => {
    let taken = 0;
    fc.assert(
      fc.property(task(fc.constantFrom([], ['a'], 'a')), (value) => {
        if (!takes(parseTask, value)) return;
        taken++;
        expect(fits.task.check(value as Json)).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(300);
    for (const value of [{}, { protocol: 'p/v1' }, { method: 'm' }])
      expect(fits.task.check(value)).toBeDefined();
  });

  it('is what the schema of a workflow describes', () => {
    const members = fc.array(task(fc.subarray(['a', 'b', 'c'])), { minLength: 1, maxLength: 3 });
    let taken = 0;
    fc.assert(
      fc.property(workflow, members, (written, tasks) => {
        const value = { ...written, tasks: tasks.map((one, index) => ({ ...one, id: 'abc'[index] })) };
        if (!takes(parseWorkflow, value)) return;
        taken++;
        expect(fits.workflow.check(value as Json)).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});
