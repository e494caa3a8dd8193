import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../core/definition.ts';
import type { GleitzeitError } from '../core/errors.ts';
import { parseProtocol } from '../core/protocol.ts';
import { createCipher } from '../store/cipher.ts';
import { hashText } from '../store/hash.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import { createDefinitions, type DefinitionParts } from './definitions.ts';
import { documentsOf, openShared } from './documents.suite.ts';
import { createProtocols } from './protocols.ts';

const step = { protocol: 'p/v1', method: 'do' };
const twoTasks = (q: string) => ({
  name: 'report',
  tasks: [
    { id: 'a', ...step, params: { q } },
    { id: 'b', ...step, params: { q: '${a.result}' } },
  ],
});

function setUp(given: Partial<DefinitionParts> = {}) {
  const data = new SimulatedData();
  const schemas = createProtocols();
  schemas.register(
    parseProtocol({
      name: 'p/v1',
      methods: { do: { params: { q: { type: 'string' }, key: { type: 'string', 'x-secret': true } } } },
    }),
  );
  let now = 0;
  const parts: DefinitionParts = {
    documents: documentsOf(openShared(data)),
    schemas,
    cipher: createCipher(() => [Buffer.alloc(32, 7)]),
    hash: hashText,
    clock: { wall: () => ++now, monotonic: () => 0 },
    ...given,
  };
  const definitions = createDefinitions(parts);
  const refused = (work: Promise<unknown>): Promise<GleitzeitError> =>
    work.then(
      () => {
        throw new Error('it was not refused');
      },
      (thrown: GleitzeitError) => thrown,
    );
  return { data, parts, definitions, refused };
}

describe('a definition', () => {
  it('is found again as it was, with every default written out', async () => {
    const { definitions } = setUp();
    const whole = {
      name: 'whole',
      version: 'v3',
      workflow_id: 'not kept',
      tasks: [
        {
          id: 'a',
          name: 'First: with "signs"',
          ...step,
          priority: 'high',
          timeout: '90s',
          on_failure: 'continue',
        },
        { name: 'Second / step', ...step, needs: ['a'], total_timeout: 5, retry_config: { max_total: 60 } },
      ],
    };
    expect(await definitions.define(whole)).toEqual({ name: 'whole', version: 'v3', created: true });
    const found = await definitions.find('whole', 'v3');
    expect(found).not.toHaveProperty('workflow_id');
    expect(parseWorkflow(found)).toEqual({ ...parseWorkflow(whole), workflow_id: null });
    expect(JSON.stringify(found)).toContain('"max_attempts":3');
  });

  it('keeps the agents its tasks are for, and leaves to them what it does not say', async () => {
    const { definitions } = setUp();
    const tasks = [
      { id: 'a', agent: 'My Agent', input: 'Hi' },
      {
        id: 'b',
        agent: 'B',
        input: { text: '${a.result.text}' },
        timeout: 5,
        retry_config: { max_attempts: 1 },
      },
    ];
    const workflow = { name: 'agents', version: '1', tasks };
    await definitions.define(workflow);
    const found = await definitions.find('agents');
    expect(parseWorkflow(found)).toEqual(parseWorkflow(workflow));
    expect(parseWorkflow(found).tasks.map(({ left_to_agent }) => left_to_agent)).toEqual([
      ['retry_config', 'timeout'],
      [],
    ]);
    const others = [{ ...tasks[0], agent: 'Another' }, tasks[1]];
    await expect(definitions.define({ ...workflow, tasks: others })).rejects.toMatchObject({
      code: 'GLZ1009',
    });
  });

  it('stays what it is: the same again is no error, another is refused', async () => {
    const { definitions, refused } = setUp();
    await definitions.define({ ...twoTasks('x'), version: '1' });
    expect(await definitions.define({ version: '1', ...twoTasks('x') })).toMatchObject({ created: false });
    expect(await refused(definitions.define({ ...twoTasks('y'), version: '1' }))).toMatchObject({
      code: 'GLZ1009',
      details: { field: '/version', hint: expect.stringContaining('new version') },
    });
    expect(await definitions.find('report')).toMatchObject({ tasks: [{ params: { q: 'x' } }, {}] });
  });

  it('without a version gets the next number, unless nothing changed', async () => {
    const { definitions } = setUp();
    const versions = [];
    for (const q of ['x', 'x', 'y', 'x']) versions.push((await definitions.define(twoTasks(q))).version);
    expect(versions).toEqual(['1', '1', '2', '3']);
    expect(await definitions.find('report')).toMatchObject({
      version: '3',
      tasks: [{ params: { q: 'x' } }, {}],
    });
    expect(await definitions.find('report', '2')).toMatchObject({ tasks: [{ params: { q: 'y' } }, {}] });
  });

  it('is the newest by its version, not by its time', async () => {
    const { definitions } = setUp();
    for (const version of ['10', '9', '2']) await definitions.define({ ...twoTasks(version), version });
    expect((await definitions.find('report'))['version']).toBe('10');
  });

  it('is given one number each, by several at once', async () => {
    const { definitions } = setUp();
    const made = await Promise.all(['a', 'b', 'c'].map((q) => definitions.define(twoTasks(q))));
    expect(made.map(({ version }) => version).sort()).toEqual(['1', '2', '3']);
    for (const [index, q] of ['a', 'b', 'c'].entries()) {
      const found = await definitions.find('report', made[index]?.version);
      expect(found).toMatchObject({ tasks: [{ params: { q } }, {}] });
    }
  });

  it('is listed by name and version, by the page', async () => {
    const { definitions } = setUp();
    await definitions.define({ ...twoTasks('x'), version: '1' });
    await definitions.define({ ...twoTasks('y'), version: 'b/2' });
    await definitions.define({ ...twoTasks('x'), name: 'reports', version: '1' });
    const first = await definitions.list({ limit: 2 });
    expect(first.items).toEqual([
      { name: 'report', version: '1', tasks: 2, defined_at: 1 },
      { name: 'report', version: 'b/2', tasks: 2, defined_at: 2 },
    ]);
    const rest = await definitions.list({ limit: 2, cursor: first.next_cursor ?? '' });
    expect([rest.items.map(({ name }) => name), rest.next_cursor]).toEqual([['reports'], null]);
    expect((await definitions.list({ name: 'report', limit: 9 })).items.length).toBe(2);
  });

  it('that is not there is answered with what is', async () => {
    const { definitions, refused } = setUp();
    expect((await refused(definitions.find('report'))).details).toEqual({
      field: 'name',
      hint: 'define it first',
    });
    await definitions.define({ ...twoTasks('x'), version: '1.0' });
    expect(await refused(definitions.find('reprot'))).toMatchObject({
      code: 'GLZ1010',
      details: { field: 'name', hint: 'did you mean "report"?' },
    });
    expect(await refused(definitions.find('report', '1.1'))).toMatchObject({
      code: 'GLZ1010',
      details: { field: 'version', hint: expect.stringContaining('1.0') },
    });
  });

  it('does not show a secret that it refuses as a reference', async () => {
    const { definitions, refused } = setUp();
    const task = { id: 'a', ...step, params: { key: '${hunter2' } };
    const error = await refused(definitions.define({ name: 's', tasks: [task] }));
    expect(error.details.field).toBe('/tasks/0/params/key');
    expect(JSON.stringify([error.message, error.details]) + error.stack).not.toContain('hunter2');
  });

  it('keeps its secrets sealed, and they count for whether it is the same', async () => {
    const { definitions, data, refused } = setUp();
    const workflow = (key: string) => ({
      name: 's',
      version: '1',
      tasks: [{ id: 'a', ...step, params: { key } }],
    });
    await definitions.define(workflow('very secret'));
    expect(JSON.stringify([...data.documents.values()])).not.toContain('very secret');
    expect(await definitions.find('s')).toMatchObject({ tasks: [{ params: { key: 'very secret' } }] });
    expect((await definitions.define(workflow('very secret'))).created).toBe(false);
    expect((await refused(definitions.define(workflow('other')))).code).toBe('GLZ1009');
  });

  it.each([
    ['no name', { tasks: [{ id: 'a', ...step }] }, 'GLZ1002', '/name'],
    [
      'an unknown protocol',
      { name: 'n', tasks: [{ id: 'a', protocol: 'q/v1', method: 'do' }] },
      'GLZ1003',
      '/tasks/0/protocol',
    ],
    [
      'wrong params',
      {
        name: 'n',
        tasks: [
          { id: 'a', ...step },
          { id: 'b', ...step, params: { q: 7 } },
        ],
      },
      'GLZ1005',
      '/tasks/1/params/q',
    ],
    [
      'a sealed text',
      { name: 'n', tasks: [{ id: 'a', ...step, params: { q: 'x', $sealed: 'y' } }] },
      'GLZ1005',
      undefined,
    ],
    [
      'too much of it',
      { name: 'n', tasks: ['a', 'b'].map((id) => ({ id, ...step, params: { q: 'x'.repeat(5 << 20) } })) },
      'GLZ1007',
      '',
    ],
    ['nothing at all', null, 'GLZ1002', ''],
  ])('with %s is refused', async (_, workflow, code, field) => {
    const { definitions, refused } = setUp();
    const error = await refused(definitions.define(workflow));
    expect(error.code).toBe(code);
    if (field !== undefined) expect(error.details.field).toBe(field);
  });

  it('tells of trouble with the store', async () => {
    const store = openShared();
    const { definitions, refused } = setUp({ documents: documentsOf(store) });
    await definitions.define(twoTasks('x'));
    await store.close();
    expect((await refused(definitions.find('report'))).code).toBe('GLZ3001');
    expect((await refused(definitions.define(twoTasks('y')))).code).toBe('GLZ3001');
  });
});
