import { brokerCrashSuite, brokerSuite } from '../broker.suite.ts';
import type { FarOptions } from '../suite/harness.suite.ts';
import { acknowledge, take, text } from '../suite/harness.suite.ts';
import { InProcessBroker } from './broker.ts';
import { InProcessWorld } from './world.ts';

const world = new InProcessWorld();

async function farMember({ acknowledges, ...options }: FarOptions) {
  const broker = new InProcessBroker(world);
  const { came } = await take(broker, options, acknowledges ? acknowledge : undefined);
  return {
    get received() {
      return came.items.map(text);
    },
    until: (holds: (received: readonly string[]) => boolean) => came.until((items) => holds(items.map(text))),
    kill: async () => broker.kill(),
    // It shares a thread with everybody else. As its messages are not its own any more, so they are after its end.
    freeze: async (frozen: boolean) => {
      if (frozen) broker.kill();
    },
  };
}

const harness = {
  outage_ms: 20,
  connect: async (options = {}) => new InProcessBroker(world, options),
  farMember,
  crash: async () => world.goAway(),
  restart: async () => world.comeBack(),
  freeze: async (frozen: boolean) => (frozen ? world.goAway() : world.comeBack()),
};

const traits = { partitions: true, tells_redelivery: true, lag_counts_open: true, silence_ms: 20 };
brokerSuite('the one inside the process', () => harness, traits);
brokerCrashSuite('the one inside the process', () => harness);
