import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTask, parseWorkflow } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json } from '../core/json.ts';
import { MAX_PAYLOAD } from '../core/limits.ts';
import { SEALED } from '../core/secrets.ts';
import { createCipher } from '../store/cipher.ts';
import { hashText } from '../store/hash.ts';
import { type PlanParts, planTask, planWorkflow } from './plan.ts';
import { testSchemas } from './testing/schemas.suite.ts';
import { cipher, echo } from './testing/world.suite.ts';

function setUp(given: Partial<PlanParts> = {}) {
  let count = 0;
  const parts: PlanParts = {
    schemas: testSchemas,
    cipher,
    hash: hashText,
    newId: () => `id-${++count}`,
    ...given,
  };
  const task = (definition: object, key: string | null = 'k') =>
    planTask(parts, parseTask({ ...echo, ...definition }), { idempotency_key: key, traceparent: null });
  const workflow = (definition: object, input: Json = null) =>
    planWorkflow(parts, parseWorkflow(definition), { idempotency_key: null, traceparent: null, input });
  return { parts, task, workflow };
}

const codeOf = (make: () => unknown) => {
  try {
    make();
    return null;
  } catch (thrown) {
    const { code, details } = GleitzeitError.from(thrown);
    return [code, details.field];
  }
};

/** The same value, members in the opposite order. */
function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]): [string, Json] => [key, reordered(item)])
      .reverse(),
  );
}

describe('a task', () => {
  it('becomes a run of one, under its own id', () => {
    const run = setUp().task({ params: { a: 1 }, priority: 'high', timeout: 5, total_timeout: 60 }, null);
    expect(run).toMatchObject({
      workflow: null,
      idempotency_key: null,
      body_hash: '',
      tasks: [
        {
          task_id: 'id-1',
          id: 'id-1',
          lane: 'test/v1',
          priority: 'high',
          on_failure: 'skip',
          total_timeout: 60,
          params: '{"a":1}',
          pending: 0,
          dependents: [],
          inputs: {},
          uses_input: false,
          spec: { protocol: 'test/v1', method: 'echo', timeout: 5, dependencies: [] },
        },
      ],
    });
  });

  it('is refused when its params are not as the protocol says', () => {
    const { task } = setUp();
    expect(codeOf(() => task({ params: { count: 'x' } }))).toEqual(['GLZ1005', '/params/count']);
    expect(codeOf(() => task({ method: 'nothing' }))?.[0]).toBe('GLZ1004');
    expect(codeOf(() => task({ protocol: 'other' }))?.[0]).toBe('GLZ1003');
  });

  it('has the defaults of the protocol in its params', () => {
    const schemas = {
      ...testSchemas,
      checkParams: ({ params }: { params: object }) => ({ ...params, filled: true }),
    };
    expect(setUp({ schemas }).task({ params: { a: 1 } }).tasks[0]?.params).toBe('{"a":1,"filled":true}');
  });

  it('cannot smuggle in what looks sealed', () => {
    expect(codeOf(() => setUp().task({ params: { a: [{ [SEALED]: 'x' }] } }))).toEqual([
      'GLZ1005',
      '/params',
    ]);
  });

  it('is refused when its params are too large for what is kept', () => {
    const { task } = setUp();
    const room = MAX_PAYLOAD - '{"a":""},'.length;
    expect(task({ params: { a: 'x'.repeat(room) } }).tasks).toHaveLength(1);
    // Two characters of text for each of these: it fits until it is written down.
    expect(codeOf(() => task({ params: { a: '\n'.repeat(room - 10) } }))).toEqual(['GLZ1007', '/params']);
  });

  it('has its secrets sealed and nothing else changed', () => {
    const params = { user: 'u', password: { deep: ['s3cret'] }, keys: ['k1', 'k2'], more: 1 };
    const text = setUp().task({ method: 'login', params }).tasks[0]?.params ?? '';
    expect(text).not.toMatch(/s3cret|"k1"|"k2"/);
    const stored: unknown = JSON.parse(text, (_key, value) =>
      Object.hasOwn(Object(value), SEALED) ? { opened: JSON.parse(cipher.open(value[SEALED])) } : value,
    );
    expect(stored).toEqual({
      user: 'u',
      password: { opened: { deep: ['s3cret'] } },
      keys: [{ opened: 'k1' }, { opened: 'k2' }],
      more: 1,
    });
  });

  it('may have secrets that only whoever submits it knows of, and an id that begins as it says', () => {
    const options = { idempotency_key: 'k', traceparent: null, id_prefix: 'mine.' };
    const params = { text: 'hello', token: 'the-token', password: 'p' };
    const planned = (secret_params: readonly string[], token = 'the-token') => {
      const definition = parseTask({ ...echo, method: 'login', params: { ...params, token } });
      return planTask(setUp().parts, definition, { ...options, secret_params });
    };
    const run = planned(['/token', '/password']);
    const [task] = run.tasks;
    expect([task?.task_id, task?.id]).toEqual(['mine.id-1', 'mine.id-1']);
    const stored = JSON.parse(task?.params ?? '') as Record<string, Record<string, string>>;
    expect(stored).toMatchObject({ text: 'hello', token: { [SEALED]: expect.any(String) } });
    expect(cipher.open(stored['token']?.[SEALED] ?? '')).toBe('"the-token"');
    // Sealed once, where the schema names it too.
    expect(cipher.open(stored['password']?.[SEALED] ?? '')).toBe('"p"');
    expect(run.body_hash).toBe(planned(['/password', '/token']).body_hash);
    expect(run.body_hash).not.toBe(planned(['/token'], 'another').body_hash);
    expect(run.body_hash).not.toBe(planned([]).body_hash);
  });
});

describe('a workflow', () => {
  const diamond = {
    name: 'diamond',
    version: '2',
    tasks: [
      { id: 'd', ...echo, params: { b: '${b.result}', c: '${c.result.x}' } },
      { id: 'b', ...echo, dependencies: ['a'] },
      { id: 'c', ...echo, params: { a: '${a.result}', n: '${workflow.input.n}' }, dependencies: ['b'] },
      { id: 'a', ...echo },
    ],
  };

  it('becomes counts and links by id, in whatever order it is written', () => {
    const run = setUp().workflow(diamond, { n: 1 });
    expect(run.workflow).toEqual({ workflow_id: 'id-1', name: 'diamond', version: '2', input: '{"n":1}' });
    const ids = Object.fromEntries(run.tasks.map((task) => [task.id, task.task_id]));
    const linked = (...names: string[]) => names.map((name) => ids[name]);
    const task = (id: string) => run.tasks.find((candidate) => candidate.id === id);
    expect(run.tasks.map(({ id }) => id)).toEqual(['d', 'b', 'c', 'a']);
    expect(task('a')).toMatchObject({ pending: 0, dependents: linked('b', 'c'), inputs: {} });
    expect(task('b')).toMatchObject({ pending: 1, dependents: linked('d', 'c'), inputs: {} });
    expect(task('c')).toMatchObject({ pending: 2, dependents: linked('d'), uses_input: true });
    expect(task('c')?.inputs).toEqual({ a: ids['a'] });
    expect(task('d')).toMatchObject({ pending: 2, dependents: [], uses_input: false });
    expect(task('d')?.inputs).toEqual({ b: ids['b'], c: ids['c'] });
  });

  it('counts for every task as many dependents as there are dependencies', () => {
    const graph = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(graph, (picks) => {
        const tasks = picks.map((list, index) => ({
          id: `t${index}`,
          ...echo,
          dependencies: index === 0 ? [] : [...new Set(list.map((pick) => `t${pick % index}`))],
        }));
        const run = setUp().workflow({ tasks });
        const pending = new Map(run.tasks.map((task) => [task.task_id, 0]));
        for (const task of run.tasks)
          for (const id of task.dependents) pending.set(id, (pending.get(id) ?? 0) + 1);
        for (const task of run.tasks) expect(pending.get(task.task_id)).toBe(task.pending);
      }),
    );
  });

  it('keeps the id it brings', () => {
    const { workflow } = setUp();
    const run = workflow({ workflow_id: 'mine', tasks: [{ id: 'a', ...echo }] });
    expect(run.workflow?.workflow_id).toBe('mine');
  });

  it('is refused when its input is too large or looks sealed', () => {
    const { workflow } = setUp();
    const tasks = [{ id: 'a', ...echo }];
    expect(codeOf(() => workflow({ tasks }, { a: { [SEALED]: 'x' } }))).toEqual(['GLZ1005', '/input']);
    const wrong = [...tasks, { id: 'wrong', ...echo, params: { count: 'x' } }];
    const place = `/tasks/${tasks.length}/params/count`;
    expect(codeOf(() => workflow({ tasks: wrong }))).toEqual(['GLZ1005', place]);
    expect(codeOf(() => workflow({ tasks }, 'x'.repeat(MAX_PAYLOAD)))).toEqual(['GLZ1007', '/input']);
  });
});

describe('the hash of a body', () => {
  it('is the same for the same task, whatever the order of its keys', () => {
    const { task } = setUp();
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer()), (params) => {
        const other = reordered({ params: { ...params, nested: { x: 1, y: [2, { p: 1, q: 2 }] } } });
        const one = task({ params: { ...params, nested: { x: 1, y: [2, { p: 1, q: 2 }] } } });
        expect(task(other as object).body_hash).toBe(one.body_hash);
      }),
    );
  });

  it.each([
    { params: { a: 2 } },
    { params: { a: 1, b: null } },
    { params: { a: 1 }, priority: 'low' },
    { params: { a: 1 }, timeout: 7 },
    { params: { a: 1 }, total_timeout: 7 },
    { params: { a: 1 }, on_failure: 'continue' },
    { params: { a: 1 }, name: 'other' },
    { params: { a: 1 }, retry_config: { max_attempts: 9 } },
    { params: { a: 1 }, method: 'strict' },
    { params: { a: 1 }, protocol: 'test/v2' },
  ])('is another for another task: %j', (definition) => {
    const { task } = setUp();
    expect(task(definition).body_hash).not.toBe(task({ params: { a: 1 } }).body_hash);
  });

  it('knows one secret from another, without telling it, and knows the same again', () => {
    const { task } = setUp();
    const login = (password: Json) => task({ method: 'login', params: { password } }).body_hash;
    expect(login('one')).toBe(login('one'));
    expect(login('one')).not.toBe(login('two'));
    expect(login({ a: 1, b: 2 })).toBe(login({ b: 2, a: 1 }));
    const otherKey = setUp({ cipher: createCipher(() => [Buffer.alloc(32, 9)]) });
    expect(otherKey.task({ method: 'login', params: { password: 'one' } }).body_hash).not.toBe(login('one'));
  });

  it('of a workflow takes in name, version, input and every task', () => {
    const { workflow } = setUp();
    const base = { workflow_id: 'w', name: 'n', version: '1', tasks: [{ id: 'a', ...echo }] };
    const hash = (definition: object, input: Json = null) =>
      workflow({ ...base, ...definition }, input).body_hash;
    const same = hash({});
    const others = [
      hash({ workflow_id: 'other' }),
      hash({ name: 'm' }),
      hash({ version: '2' }),
      hash({ version: null }),
      hash({}, { n: 1 }),
      hash({ tasks: [{ id: 'b', ...echo }] }),
      hash({ tasks: [...base.tasks, { id: 'b', ...echo }] }),
      hash({ tasks: [...base.tasks, { id: 'b', ...echo, dependencies: ['a'] }] }),
    ];
    expect(new Set([same, ...others]).size).toBe(9);
  });

  it('of a workflow knows no version from a version called null', () => {
    const { workflow } = setUp();
    const tasks = [{ id: 'a', ...echo }];
    const none = workflow({ workflow_id: 'w', name: 'n', tasks }).body_hash;
    expect(workflow({ workflow_id: 'w', name: 'n', version: 'null', tasks }).body_hash).not.toBe(none);
    expect(workflow({ workflow_id: 'w', name: 'n', version: null, tasks }).body_hash).toBe(none);
  });

  it('of a workflow is left out where nobody can send the same again', () => {
    const { workflow } = setUp();
    expect(workflow({ name: 'n', tasks: [{ id: 'a', ...echo }] }).body_hash).toBe('');
  });
});

describe('secrets in the input of a workflow', () => {
  const { parts } = setUp();
  const definition = parseWorkflow({ workflow_id: 'w', tasks: [{ id: 'a', ...echo }] });
  const planned = (input: Json, secret_input: readonly string[] = ['/token', '/more/*']) =>
    planWorkflow(parts, definition, { idempotency_key: 'k', traceparent: null, input, secret_input });
  const input = { text: 'hello', token: 'hidden-word', more: ['other-word'] };

  it('are sealed where pointers lead, and nowhere else', () => {
    const text = planned(input).workflow?.input ?? '';
    expect(text).toContain('hello');
    expect(text).not.toMatch(/hidden-word|other-word/);
    const { token } = JSON.parse(text) as { token: { [SEALED]: string } };
    expect(JSON.parse(cipher.open(token[SEALED]))).toBe('hidden-word');
  });

  it('make the same submission the same, and another secret another one', () => {
    expect(planned(input).body_hash).toBe(planned({ ...input }).body_hash);
    expect(planned({ ...input, token: 'changed' }).body_hash).not.toBe(planned(input).body_hash);
  });

  it('are left alone where there are none', () => {
    expect(planned({ text: 'hello' }).workflow?.input).toBe('{"text":"hello"}');
    expect(planned('hello').workflow?.input).toBe('"hello"');
  });
});
