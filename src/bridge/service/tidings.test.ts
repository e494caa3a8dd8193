import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import type { News } from '../broker.ts';
import { sizeOf } from '../errors.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { readUpdates } from '../messages/news.ts';
import { Arrivals } from '../suite/harness.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { Tidings } from './tidings.ts';

const topic = 'updates';
const largest_message = 10_000;
let broker: InProcessBroker;
let heard: Arrivals<News>;
let tidings: Tidings;

beforeEach(async () => {
  broker = new InProcessBroker(new InProcessWorld(), { largest_message });
  heard = new Arrivals();
  await broker.ensure([{ name: topic, kind: 'news' }]);
  await broker.subscribe(topic, (news) => heard.add(news));
  const parts = { bridge: 'b', topic, broker, clock: systemClock, timers: systemTimers, logger: silent };
  tidings = new Tidings(parts);
});
afterEach(() => broker.close(0));

const name = (n: number) => ({ task_id: `t-${n}`, generation: 0, attempt: 1 });
const progress = (text: string) => ({ kind: 'progress', progress: { text } }) as const;
const told = () => heard.items.flatMap(({ value }) => readUpdates(value).news);

describe('news of calls', () => {
  it('of one tick travel in no larger messages than the broker takes, and none of them is lost', async () => {
    for (let n = 0; n < 100; n++) tidings.tell('engine', name(n), progress('ü"\n'.repeat(n * 10)));
    await heard.until(() => told().length === 100);
    expect(told().map(({ task_id }) => task_id)).toEqual(
      Array.from({ length: 100 }, (_, n) => name(n).task_id),
    );
    expect(Math.max(...heard.items.map(sizeOf))).toBeLessThanOrEqual(largest_message);
    expect(heard.items.length).toBeLessThan(60);
  });

  it('that are few go together, those of each engine apart', async () => {
    for (let n = 0; n < 6; n++) tidings.tell(`engine-${n % 2}`, name(n), { kind: 'started', ago_ms: 0 });
    await heard.until(() => told().length === 6);
    expect(heard.items.map(({ key }) => key).sort()).toEqual(['engine-0', 'engine-1']);
  });

  it('that no message has room for are lost alone', async () => {
    tidings.tell('engine', name(1), { kind: 'started', ago_ms: 0 });
    tidings.tell('engine', name(1), progress('x'.repeat(largest_message)));
    tidings.tell('engine', name(1), { kind: 'ended' });
    await heard.until(() => told().length === 2);
    expect(told().map(({ kind }) => kind)).toEqual(['started', 'ended']);
  });

  it('are not gathered while the broker is away', async () => {
    const away = { state: 'away', publish: () => Promise.reject(new Error('asked')) } as const;
    const parts = { bridge: 'b', topic, clock: systemClock, timers: systemTimers, logger: silent };
    let scheduled = 0;
    const soon = () => {
      scheduled += 1;
    };
    const timers = { ...systemTimers, soon };
    new Tidings({ ...parts, timers, broker: { ...away, largest_message } }).tell('engine', name(1), {
      kind: 'ended',
    });
    expect(scheduled).toBe(0);
  });
});
