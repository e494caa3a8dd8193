import { describe, expect, it } from 'vitest';
import { MASK, SEALED } from '../core/secrets.ts';
import { answerTo, Courier, nameOf } from './testing/courier.suite.ts';
import { done, failed } from './testing/provider.suite.ts';
import { echo, idIn, type Site, step, World } from './testing/world.suite.ts';

const token = 'xoxb-told-in-step-one';
const input = { text: 'hello', bot_token: token };
const sealed = { input, secret_input: ['/bot_token'] };

/** The first step is told the token; the second is not, and knows it from there. */
const told = step('a', { text: '${workflow.input.text}', token: '${workflow.input.bot_token}' });
const laters = {
  'that reads the result of the first': { text: '${a.result.text}' },
  'that reads nothing': { text: 'go on' },
};

async function submitted(site: Site, { world, tasks, options = sealed }: Submission) {
  const accepted = await world.time.until(site.engine.submitWorkflow({ tasks }, options));
  await world.time.settle();
  return (id: string) => idIn(accepted.tasks, id);
}

type Submission = { readonly world: World; readonly tasks: readonly object[]; readonly options?: object };

/** The token must be nowhere: not in a table, an event, the journal of all commits, or the log. */
function expectHidden(world: World, ...sites: readonly Site[]): void {
  const places = { store: world.everything(), log: JSON.stringify(sites.map(({ log }) => log)) };
  const showing = Object.entries(places).filter(([, text]) => text.includes(token));
  expect(showing.map(([name]) => name)).toEqual([]);
}

describe.each(Object.entries(laters))('a step of a run with a secret in its input, %s,', (_, params) => {
  const tasks = [told, step('b', params, { dependencies: ['a'] })];

  async function atSecondStep() {
    const world = new World();
    const site = await world.started();
    const ids = await submitted(site, { world, tasks });
    expect(site.provider.last.params['token']).toBe(token);
    site.provider.last.done({ text: 'noted' });
    await world.time.settle();
    return { world, site, id: ids('b'), call: site.provider.last };
  }

  async function atSecondStepElsewhere() {
    const world = new World(false);
    const courier = new Courier();
    const site = await world.started({ parts: { dispatch: courier } });
    const ids = await submitted(site, { world, tasks });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done({ text: 'noted' }))));
    await world.time.settle();
    expect(courier.last).toMatchObject({ task_id: ids('b'), content: { secrets: true } });
    return { world, site, ids, courier };
  }

  it('may repeat it in its result', async () => {
    const { world, site, id, call } = await atSecondStep();
    call.done({ text: `posted with ${token}`, header: Buffer.from(`bot:${token}`).toString('base64') });
    const { result } = await world.outcome(site, id);
    expect(JSON.parse(result ?? '')).toMatchObject({ text: `posted with ${MASK}` });
    expect(result).not.toContain(Buffer.from(token.slice(0, 15)).toString('base64').slice(4, 16));
    expectHidden(world, site);
  });

  it('may repeat it in its error', async () => {
    const { world, site, id, call } = await atSecondStep();
    call.failed('GLZ2010', `refused ${token}`);
    expect((await world.outcome(site, id)).error?.message).toBe(`refused ${MASK}`);
    expectHidden(world, site);
  });

  it('may repeat it when it asks to be asked again, or asks somebody, or tells how far it is', async () => {
    const { world, site, id, call } = await atSecondStep();
    call.report?.({ message: `half of ${token}` });
    await world.time.advance(2000);
    call.answer({ word: 'again', after_ms: 10, reason: `busy with ${token}` });
    await world.time.advance(100);
    const ask = { question: `is it ${token}?` };
    site.provider.last.answer({
      word: 'outside',
      wait: { kind: 'input', ask, kept: null, token: null, after_ms: null, late: 'fail' },
    });
    await world.time.settle();
    for (const said of [`half of ${MASK}`, `busy with ${MASK}`, `is it ${MASK}?`])
      expect([said, world.everything().includes(said)]).toEqual([said, true]);
    expect(world.row(id).status).toBe('input_required');
    expectHidden(world, site);
  });

  it('may have it in what it keeps, which is sealed and comes back as it was', async () => {
    const { world, site, id, call } = await atSecondStep();
    const kept = { job: `/jobs/7?by=${token}` };
    await world.time.until(Promise.resolve(call.keep?.(kept)));
    expectHidden(world, site);
    call.answer({ word: 'again', after_ms: 10, reason: 'later' });
    await world.time.advance(100);
    expect(site.provider.last.kept).toEqual(kept);
    const wait = { kind: 'input', ask: null, token: null, after_ms: null, late: 'fail' } as const;
    site.provider.last.answer({ word: 'outside', wait: { ...wait, kept } });
    await world.time.settle();
    expect(world.row(id).status).toBe('input_required');
    await world.time.until(site.engine.responses.respond(id, { response: 'yes' }));
    await world.time.settle();
    expect(site.provider.last).toMatchObject({ attempt: 3, kept, response: 'yes' });
    expectHidden(world, site);
  });

  it('may be made elsewhere and have it in what it keeps, whichever engine hears of that', async () => {
    for (const where of ['the engine that sent it', 'another'] as const) {
      const { world, site, ids, courier } = await atSecondStepElsewhere();
      const { last } = courier;
      const elsewhere = new Courier();
      const other = await world.started({ parts: { dispatch: elsewhere } });
      const { arrivals } = where === 'another' ? elsewhere : courier;
      const kept = { job: `/jobs/7?by=${token}` };
      await world.time.until(arrivals.kept({ ...nameOf(last), provider: last.provider, kept }));
      expect(world.row(ids('b')).attempts.at(-1)?.outside?.kept?.text).toContain(SEALED);
      const again = answerTo(last, { word: 'again', after_ms: 10, reason: 'later' });
      await world.time.until(arrivals.ended(again));
      await world.time.advance(1000);
      expect([...courier.parcels, ...elsewhere.parcels].find(({ attempt }) => attempt === 2)?.kept).toEqual(
        kept,
      );
      expectHidden(world, site, other);
    }
  });

  it.each([
    ['in its result', done({ text: `posted with ${token}` })],
    ['in its error', failed('GLZ2010', `refused ${token}`)],
  ])('may be made elsewhere, and its answer come to any engine, with the token %s', async (_how, answer) => {
    for (const where of ['the engine that sent it', 'another'] as const) {
      const { world, site, ids, courier } = await atSecondStepElsewhere();
      const { last } = courier;
      const elsewhere = new Courier();
      const other = await world.started({ parts: { dispatch: elsewhere } });
      const { arrivals } = where === 'another' ? elsewhere : courier;
      const called = { protocol: 'test/v1', method: 'echo', secrets: last.content.secrets };
      await world.time.until(arrivals.ended({ ...answerTo(last, answer), called }));
      const { result, error } = await world.outcome(site, ids('b'));
      expect(`${result} ${error?.message}`).toContain(MASK);
      expectHidden(world, site, other);
    }
  });

  it('is not made where the secret cannot be opened: nobody could keep it out of what is said', async () => {
    const world = new World();
    const site = await world.started();
    const ids = await submitted(site, { world, tasks });
    for (const workflow_id of world.data.inputs.keys())
      world.data.inputs.set(workflow_id, JSON.stringify({ bot_token: { [SEALED]: 'v1.00000000.AAAA' } }));
    site.provider.last.done({ text: 'noted' });
    expect(await world.outcome(site, ids('b'))).toMatchObject({ error: { data: { error_code: 'GLZ3010' } } });
    expect(site.provider.calls).toHaveLength(1);
  });
});

it('a run that is made anew from such a one keeps it as well', async () => {
  const world = new World();
  const site = await world.started();
  const ids = await submitted(site, { world, tasks: [told, step('b', {}, { dependencies: ['a'] })] });
  site.provider.last.done({ text: 'noted' });
  await world.time.settle();
  site.provider.last.failed('GLZ2010', 'not now');
  await world.outcome(site, ids('b'));
  const { workflow_id } = world.row(ids('b'));
  const again = await world.time.until(site.engine.retryRun(workflow_id ?? '', {}));
  await world.time.settle();
  site.provider.last.done({ text: `posted with ${token}` });
  expect((await world.outcome(site, idIn(again.tasks, 'b'))).result).toBe(`{"text":"posted with ${MASK}"}`);
  expectHidden(world, site);
});

it('a run without a secret in its input brings that input only to steps that read it', async () => {
  const world = new World();
  const site = await world.started();
  const tasks = [step('a', { text: '${workflow.input.text}' }), { id: 'b', ...echo, dependencies: ['a'] }];
  const ids = await submitted(site, { world, tasks, options: { input: { text: 'hello' } } });
  expect(world.data.bodies.get(ids('a'))?.uses_input).toBe(true);
  expect(world.data.bodies.get(ids('b'))?.uses_input).toBe(false);
});

describe('a run with a secret in its input', () => {
  it('takes no other input when it is run again', async () => {
    const world = new World();
    const site = await world.started();
    const { workflow_id, tasks } = await world.time.until(
      site.engine.submitWorkflow({ tasks: [told] }, sealed),
    );
    await world.time.settle();
    site.provider.last.failed('GLZ2010', 'no');
    await world.outcome(site, idIn(tasks, 'a'));
    const retried = site.engine.retryRun(workflow_id ?? '', { input: { text: 'x', bot_token: 'another' } });
    await expect(world.time.until(retried)).rejects.toMatchObject({
      code: 'GLZ1002',
      details: { field: '/input' },
    });
    expect(world.everything()).not.toContain('another');
  });
});
