import type { Client, GleitzeitEvent } from '../../../src/sdk/index.ts';
import { equal, ok, rejection } from '../check.ts';
import type { Case, Logged, World } from '../world.ts';

const step = { protocol: 'mixed/v1', method: 'step', params: { n: 1 } };

/** Takes events up to this cursor. */
async function upTo(events: AsyncIterable<GleitzeitEvent>, last: number): Promise<GleitzeitEvent[]> {
  const taken: GleitzeitEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (event.cursor >= last) break;
  }
  return taken;
}

/** What arrived is what the log says, in its order: nothing missed, nothing twice, nothing changed on the way. */
export function judge(taken: readonly GleitzeitEvent[], log: readonly Logged[], after: number): void {
  const wanted = log.filter(({ cursor }) => cursor > after);
  for (const [index, event] of wanted.entries()) equal(taken[index], event, `event ${index}`);
  equal(taken.length, wanted.length, 'events');
  ok(wanted.length > 0, 'there should be events');
}

async function free(world: World, client: Client): Promise<void> {
  await world.until('no subscription is left', async () => (await world.control.subscriptions()) === 0);
  client.close();
}

export const eventCases: Readonly<Record<string, Case>> = {
  'events come as they happen, those that were asked for': async (world) => {
    const client = await world.client();
    const events = client.events({ events: ['task:completed', 'task:failed'] });
    const began = await events.subscribed();
    const { task_id } = await client.call('task.submit', step);
    const { value } = await events.next();
    equal([value?.event, value?.task_id], ['task:completed', task_id], 'the event');
    ok(value !== undefined && value.cursor > began, 'it comes after the beginning');
    if (value?.event === 'task:completed') equal(value.data.attempt, 1, 'what it tells');
    await events.return();
    equal(await events.next(), { done: true, value: undefined }, 'after the end');
    await free(world, client);
  },

  'a run is told from its beginning': async (world) => {
    const client = await world.client();
    const workflow_id = await world.control.submitRun(40);
    const taken: GleitzeitEvent[] = [];
    for await (const event of client.events({ workflow_id, cursor: 0 })) {
      taken.push(event);
      if (event.event === 'workflow:completed' || event.event === 'workflow:failed') break;
    }
    equal(
      taken.map(({ seq }) => seq),
      taken.map((_, index) => index + 1),
      'the numbers of the events',
    );
    equal(taken[0]?.event, 'workflow:started', 'the first');
    const middle = taken[20]?.cursor ?? 0;
    const again = await upTo(client.events({ workflow_id, cursor: middle }), taken.at(-1)?.cursor ?? 0);
    equal(again, taken.slice(21), 'from the middle on');
    await free(world, client);
  },

  'nothing is missed or doubled where the network cuts at random': async (world) => {
    const url = await world.control.proxy({ to: 'open', cuts: 40, bytes: 12_000 });
    const client = world.connect({ url, reconnect: { first_ms: 5, longest_ms: 50 } });
    const events = client.events();
    const began = await events.subscribed();
    const workflow_id = await world.control.submitRun(200);
    const ofRun = client.events({ workflow_id, cursor: 0 });
    await client.runResults(workflow_id);
    const log = await world.control.log();
    const last = log.at(-1)?.cursor ?? 0;
    judge(await upTo(events, last), log, began);
    const own = log.filter((event) => event['workflow_id'] === workflow_id);
    judge(await upTo(ofRun, own.at(-1)?.cursor ?? 0), own, 0);
    ok((await world.control.cutsSoFar(url)) >= 10, 'there should have been cuts');
    client.close();
  },

  'a server that is killed is gone on with after its restart': async (world) => {
    const client = await world.client('open', { reconnect: { first_ms: 20, longest_ms: 200 } });
    const events = client.events();
    const began = await events.subscribed();
    const workflow_id = await world.control.submitRun(300);
    const wait = client.runResults(workflow_id);
    const first = await events.next();
    ok(first.value !== undefined, 'there should be an event');
    await world.control.kill();
    const read = client.call('system.info');
    await world.control.start();
    equal((await read).name, 'gleitzeit', 'a call made while it was away');
    ok((await wait).status !== 'running', 'the run settled');
    const log = await world.control.log();
    const rest = await upTo(events, log.at(-1)?.cursor ?? 0);
    judge([first.value, ...rest], log, began);
    client.close();
  },

  'a slow consumer holds a bounded number, and misses nothing': async (world) => {
    const client = await world.client();
    const events = client.events();
    const began = await events.subscribed();
    const first = events.next();
    const workflow_id = await world.control.submitRun(400);
    await client.runResults(workflow_id);
    await world.until('it is not sent any more', async () => (await world.control.subscriptions()) === 0);
    const log = await world.control.log();
    ok(log.filter(({ cursor }) => cursor > began).length > 1500, 'there should be more than is held');
    const { value } = await first;
    ok(value !== undefined, 'there should be an event');
    judge([value, ...(await upTo(events, log.at(-1)?.cursor ?? 0))], log, began);
    await free(world, client);
  },

  'events end with break, with return and with a signal, and leave nothing behind': async (world) => {
    const url = await world.control.proxy({ to: 'open' });
    const client = world.connect({ url });
    for await (const _ of client.events({ cursor: 0 })) break;
    const returned = client.events();
    const waiting = returned.next();
    await returned.subscribed();
    await returned.return();
    equal(await waiting, { done: true, value: undefined }, 'who waited for the next');
    const stop = new AbortController();
    const aborted = client.events({}, { signal: stop.signal });
    const next = rejection(aborted.next());
    const reason = new Error('enough');
    stop.abort(reason);
    equal((await next).message, 'enough', 'the reason of the signal');
    const never = client.events({}, { signal: stop.signal });
    equal((await rejection(never.next())).message, 'enough', 'a signal that was aborted before');
    const early = client.events();
    const subscribed = rejection(early.subscribed());
    await early.return();
    equal((await subscribed)['trouble'], 'closed', 'one that was ended before it began');
    await world.until('no subscription is left', async () => (await world.control.subscriptions()) === 0);
    await world.until('no connection is left', async () => (await world.control.webSockets()) === 0);
    client.close();
  },

  'what the server refuses is told': async (world) => {
    const client = await world.client();
    const error = await rejection(client.events({ cursor: Number.MAX_SAFE_INTEGER }).next());
    equal([error.name, error['field']], ['CallError', 'cursor'], 'a cursor of another store');
    client.close();
  },
};
