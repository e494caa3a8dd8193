import { createClient } from '@redis/client';
import { describe, expect, it } from 'vitest';
import { sharedService } from '../../../test/services/shared.ts';
import { acknowledge, freshTopic, numbered, take, text } from '../suite/harness.suite.ts';
import { openReal } from '../suite/real.suite.ts';
import { openRedis } from './broker.ts';

async function site() {
  const address = await sharedService('redis');
  const topic = freshTopic('work', ['g', 'other']);
  const broker = await openReal('redis', address);
  const operator = createClient({ url: address });
  await operator.connect();
  return {
    ...{ address, topic, broker, operator },
    async close() {
      operator.destroy();
      await broker.close(2000);
    },
  };
}

describe('a stream', () => {
  it('that somebody has removed is made again, and nothing is lost that is published after', async () => {
    const { topic, broker, operator, close } = await site();
    await broker.ensure([topic]);
    const { came } = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
    await broker.publish(topic.name, numbered(1));
    await came.count(1);
    await operator.del(topic.name);
    await broker.publish(
      topic.name,
      numbered(1, () => 'k', 1),
    );
    await came.count(2);
    expect(came.items.map(text)).toEqual(['0', '1']);
    await close();
  });

  it('is as long as what some group has not acknowledged', async () => {
    const { topic, broker, operator, close } = await site();
    await broker.ensure([topic]);
    const { came } = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
    await broker.publish(topic.name, numbered(50));
    await came.count(50);
    const other = await take(broker, { topic: topic.name, group: 'other' });
    await other.came.count(50);
    for (const delivery of other.came.items.slice(0, 40)) delivery.ack();
    await expect.poll(() => operator.xLen(topic.name), { timeout: 20_000 }).toBe(10);
    for (const delivery of other.came.items) delivery.ack();
    // The last one stays: it says where the groups are.
    await expect.poll(() => operator.xLen(topic.name), { timeout: 20_000 }).toBe(1);
    expect([await broker.lag('g', topic.name), await broker.lag('other', topic.name)]).toEqual([0, 0]);
    await close();
  });

  it('whose name is taken by something else is told', async () => {
    const { topic, broker, operator, close } = await site();
    await operator.set(topic.name, 'mine');
    await expect(broker.ensure([topic])).rejects.toMatchObject({
      code: 'GLZ3202',
      message: expect.stringContaining(topic.name),
      details: { hint: expect.stringContaining('another name') },
    });
    await close();
  });
});

describe('a server that may forget', () => {
  it('is told once', async () => {
    const { address, topic, operator, close } = await site();
    const before = await operator.configGet('appendfsync');
    await operator.configSet('appendfsync', 'everysec');
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
    const broker = await openRedis({ url: address, logger });
    await broker.ensure([topic]);
    await broker.ensure([topic]);
    expect(warnings).toEqual([expect.stringContaining('appendfsync always')]);
    await operator.configSet('appendfsync', before['appendfsync'] ?? 'always');
    await broker.close(2000);
    await close();
  });
});
