import { expect, it } from 'vitest';
import { systemTimers } from '../../embedded/system.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { freshTopic, take } from '../suite/harness.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { Sender } from './sender.ts';

async function site() {
  const broker = new InProcessBroker(new InProcessWorld(), { largest_message: 100 });
  const topic = freshTopic('work', ['g']);
  await broker.ensure([topic]);
  const pauses: (() => void)[] = [];
  const after = (_: number, call: () => void) => {
    pauses.push(call);
    return () => void pauses.splice(pauses.indexOf(call), 1);
  };
  const timers = { ...systemTimers, after };
  const sender = new Sender({ broker, topic: topic.name, timers, logger: silent });
  const { came } = await take(broker, { topic: topic.name, group: 'g' });
  return { broker, sender, came, pauses };
}

const message = (key: string) => ({ key, value: 'x' });
const refused = { key: 'refused', value: 'x'.repeat(200) };

it('a message that the broker refuses is tried again alone: others with it are sent, and once', async () => {
  const { sender, came, pauses, broker } = await site();
  const sent: string[] = [];
  const all = [message('a'), refused, message('b')].map((one) =>
    sender.send(one).then((durable) => sent.push(`${one.key} ${durable}`)),
  );
  await expect.poll(() => pauses).toHaveLength(1);
  expect(sent).toEqual(['a true', 'b true']);
  pauses.shift()?.();
  await expect.poll(() => pauses).toHaveLength(1);
  sender.close();
  await Promise.all(all);
  expect(sent.at(-1)).toBe('refused false');
  expect(pauses).toEqual([]);
  await came.count(2);
  expect(came.items.map(({ key }) => key).sort()).toEqual(['a', 'b']);
  expect(await sender.send(message('late'))).toBe(false);
  await broker.close(0);
});
