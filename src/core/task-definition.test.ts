import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTask } from './definition.ts';
import { MAX_PAYLOAD } from './limits.ts';
import { defaultRetry } from './retry.ts';
import { thrownBy } from './thrown.suite.ts';

const minimal = { protocol: 'web-search/v1', method: 'search' };
const refusal = (task: unknown) => thrownBy(() => parseTask(task));
const problem = (extra: object) => refusal({ ...minimal, ...extra }).details;

describe('a task submitted alone', () => {
  it('gets every default', () => {
    expect(parseTask(minimal)).toStrictEqual({
      id: 'search',
      name: 'search',
      protocol: 'web-search/v1',
      method: 'search',
      params: {},
      dependencies: [],
      references: [],
      uses_input: false,
      priority: 'normal',
      retry_config: defaultRetry,
      timeout: 30,
      total_timeout: null,
      on_failure: 'skip',
    });
  });

  it('keeps what it says', () => {
    const task = {
      id: 'task-uuid',
      name: 'Search for Python tutorials',
      ...minimal,
      params: { query: 'Python', max_results: 5 },
      dependencies: [],
      needs: [],
      priority: 'high',
      retry_config: { max_attempts: 5, backoff: 'fixed' },
      timeout: '2m',
      total_timeout: 'PT1H',
      on_failure: 'continue',
    };
    const { needs, ...rest } = task;
    expect(parseTask(task)).toStrictEqual({
      ...rest,
      references: [],
      uses_input: false,
      retry_config: { ...defaultRetry, max_attempts: 5, backoff: 'fixed' },
      timeout: 120,
      total_timeout: 3_600,
    });
    expect(parseTask(task).params).toBe(task.params);
  });

  it('is known by its name, and by its method where it has none', () => {
    expect(parseTask({ ...minimal, name: 'Fetch: v1.2 (all)' })).toMatchObject({ id: 'Fetch: v1.2 (all)' });
    expect(parseTask({ ...minimal, id: 'x' })).toMatchObject({ id: 'x', name: 'x' });
    expect(parseTask({ ...minimal, name: 'input' })).toMatchObject({ id: 'input' });
  });

  it.each([
    ['dependencies', { dependencies: ['a'] }, '/dependencies/0'],
    ['needs', { needs: ['a'] }, '/needs/0'],
    ['references', { params: { x: ['${a.result}'] } }, '/params/x/0'],
  ])('cannot have %s', (_, extra, field) => {
    const error = refusal({ ...minimal, ...extra });
    expect(error.code).toBe('GLZ1001');
    expect(error.details).toMatchObject({
      field,
      reason: 'a task submitted alone cannot depend on another',
      hint: 'tasks that depend on each other are submitted together, as a workflow',
    });
  });

  it('has no workflow input', () => {
    const error = refusal({ ...minimal, params: { q: '${workflow.input.q}' } });
    expect(error.code).toBe('GLZ1001');
    expect(error.details).toMatchObject({
      field: '/params',
      reason: 'a task submitted alone has no workflow input',
      hint: 'write the value itself',
    });
  });

  it.each([
    [null, 'must be an object, not null'],
    ['task', 'must be an object, not string'],
    [[minimal], 'must be an object, not array'],
    [undefined, 'must be an object, not undefined'],
  ])('is an object, not %o', (task, reason) => {
    expect(refusal(task)).toMatchObject({ code: 'GLZ1001', message: reason });
  });

  it('names its place in what was sent', () => {
    const error = thrownBy(() => parseTask({ ...minimal, methd: 'x', params: { y: '${' } }, '/tasks/3'));
    expect(error.message).toBe('/tasks/3/methd: unknown key "methd"');
    expect(error.details.details).toMatchObject({
      problems: [{ field: '/tasks/3/methd' }, { field: '/tasks/3/params/y' }],
    });
    expect(thrownBy(() => parseTask(7, '/tasks/3')).message).toBe('/tasks/3: must be an object, not number');
    const input = { ...minimal, params: { q: '${workflow.input}' } };
    expect(thrownBy(() => parseTask(input, '/tasks/3')).details.field).toBe('/tasks/3/params');
  });
});

describe('a problem in a task', () => {
  it.each([
    [{ protocl: 'x' }, '/protocl', 'unknown key "protocl"', 'did you mean "protocol"?'],
    [
      { status: 'queued' },
      '/status',
      'unknown key "status"',
      expect.stringContaining('known keys: id, name'),
    ],
    [{ created_at: 'now' }, '/created_at', 'unknown key "created_at"', expect.any(String)],
    [{ attempts: [] }, '/attempts', 'unknown key "attempts"', expect.any(String)],
    [{ references: [] }, '/references', 'unknown key "references"', expect.any(String)],
    [{ name: '' }, '/name', 'must not be empty', undefined],
    [{ name: '  ' }, '/name', 'must not be empty', undefined],
    [{ name: ' x' }, '/name', 'must not begin or end with a space', undefined],
    [{ name: 'a\u0000b' }, '/name', 'must not hold control characters', undefined],
    [{ name: 'a\ud800' }, '/name', 'must not hold half a character (a lone surrogate)', undefined],
    [{ name: 'x'.repeat(257) }, '/name', 'must not be longer than 256 characters', undefined],
    [{ name: 7 }, '/name', 'must be text, not number', undefined],
    [{ name: null }, '/name', 'must be text, not null', undefined],
    [
      { id: 'a.b' },
      '/id',
      'may hold letters, digits, "_", "-" and spaces',
      'a title of any kind goes into name',
    ],
    [{ id: 'a}' }, '/id', 'may hold letters, digits, "_", "-" and spaces', expect.any(String)],
    [{ id: '' }, '/id', 'must not be empty', undefined],
    [{ id: 12 }, '/id', 'must be text, not number', undefined],
    [{ protocol: undefined }, '/protocol', 'is missing', undefined],
    [{ method: undefined }, '/method', 'is missing', undefined],
    [{ method: '' }, '/method', 'must not be empty', undefined],
    [{ params: [1] }, '/params', 'must be an object, not array', 'give every param its name'],
    [{ params: null }, '/params', 'must be an object, not null', 'give every param its name'],
    [{ params: { a: Number.NaN } }, '/params/a', 'NaN cannot be written as JSON', undefined],
    [{ dependencies: 'a' }, '/dependencies', 'must be a list of task ids, not string', 'write ["task-id"]'],
    [{ dependencies: [1] }, '/dependencies', 'must hold task ids, not number', undefined],
    [{ needs: [null] }, '/needs', 'must hold task ids, not null', undefined],
    [
      { priority: 'hihg' },
      '/priority',
      'must be one of urgent, high, normal, low, not "hihg"',
      'did you mean "high"?',
    ],
    [
      { priority: 'zzz' },
      '/priority',
      'must be one of urgent, high, normal, low, not "zzz"',
      'one of: urgent, high, normal, low',
    ],
    [
      { priority: 1 },
      '/priority',
      'must be one of urgent, high, normal, low, not 1',
      'one of: urgent, high, normal, low',
    ],
    [
      { priority: null },
      '/priority',
      'must be one of urgent, high, normal, low, not null',
      expect.any(String),
    ],
    [
      { on_failure: 'ignore' },
      '/on_failure',
      'must be one of skip, continue, not "ignore"',
      'one of: skip, continue',
    ],
    [{ timeout: 0 }, '/timeout', 'must be at least 0.001 seconds', undefined],
    [{ timeout: '30' }, '/timeout', '"30" is text without a unit', expect.stringContaining('30s')],
    [{ timeout: null }, '/timeout', 'a duration is a number or text, not null', expect.any(String)],
    [{ total_timeout: -1 }, '/total_timeout', 'a duration cannot be negative', expect.any(String)],
    [{ total_timeout: '0s' }, '/total_timeout', 'must be at least 0.001 seconds', undefined],
  ])('%o is told', (extra, field, reason, hint) => {
    const details = problem(extra);
    expect(details).toMatchObject({ field, reason });
    expect(details.hint).toEqual(hint);
    expect(details.details).toHaveProperty('problems.length', 1);
    expect(refusal({ ...minimal, ...extra }).code).toBe('GLZ1001');
  });

  it('has the code of what it is about', () => {
    expect(refusal({ ...minimal, params: { a: '${' } })).toMatchObject({
      code: 'GLZ1006',
      details: { field: '/params/a' },
    });
    expect(refusal({ ...minimal, params: { a: 'x'.repeat(MAX_PAYLOAD) } }).code).toBe('GLZ1007');
    expect(refusal({ ...minimal, nam: 1, params: { a: '${' } }).code).toBe('GLZ1001');
  });

  it('does not hide the others', () => {
    const { details } = refusal({
      nam: 1,
      params: 3,
      priority: 'x',
      timeout: -1,
      retry_config: { jitter: 2 },
    }).details;
    expect((details as { problems: { field: string }[] }).problems.map(({ field }) => field)).toEqual([
      '/nam',
      '/protocol',
      '/method',
      '/params',
      '/priority',
      '/retry_config/jitter',
      '/timeout',
    ]);
  });

  it('is cut where it would repeat a long key', () => {
    expect(problem({ ['k'.repeat(300)]: 1 }).reason).toBe(`unknown key "${'k'.repeat(256)}"`);
    expect(problem({ priority: 'p'.repeat(300) }).reason).toContain(`not "${'p'.repeat(256)}"`);
    expect(problem({ priority: 'p'.repeat(300) }).reason).not.toContain('p'.repeat(257));
  });

  it('stops at twenty', () => {
    const extra = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key${i}`, i]));
    expect(problem(extra).details).toHaveProperty('problems.length', 20);
  });

  it('is not made by names of any alphabet, nor by a limit that is just kept', () => {
    expect(parseTask({ ...minimal, id: 'Überprüfung_2 - 名' })).toMatchObject({ id: 'Überprüfung_2 - 名' });
    expect(
      parseTask({ ...minimal, name: 'x'.repeat(256), timeout: 0.001, total_timeout: null }),
    ).toMatchObject({
      timeout: 0.001,
      total_timeout: null,
    });
  });

  it('is not made by keys that are only inherited', () => {
    const task = Object.assign(Object.create({ name: 7, params: 3 }), minimal);
    expect(parseTask(task)).toMatchObject({ name: 'search', params: {} });
  });
});

describe('anything at all', () => {
  const word = fc.constantFrom(
    'id',
    'name',
    'protocol',
    'method',
    'params',
    'needs',
    'timeout',
    'retry_config',
    'x',
  );

  it('is a task or an error of ours with a field and a reason', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(word, fc.anything())), (value) => {
        try {
          parseTask(value);
        } catch {
          const { code, details } = refusal(value);
          expect(['GLZ1001', 'GLZ1006']).toContain(code);
          expect(typeof details.field).toBe('string');
          expect(details.reason).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });
});
