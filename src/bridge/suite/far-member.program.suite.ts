import { text } from './harness.suite.ts';
import { openReal, type RealBroker } from './real.suite.ts';

/** A member in a process of its own: tells its parent what came, and acknowledges it after that. */
const [kind = '', address = '', rest = '{}'] = process.argv.slice(2);
const { acknowledges, ...options } = JSON.parse(rest);
const broker = await openReal(kind as RealBroker, address);
await broker.ensure([{ name: options.topic, kind: 'work', groups: [options.group], partitions: 3 }]);
await broker.consume(options, (deliveries) => {
  process.send?.(deliveries.map(text), () => {
    for (const delivery of acknowledges ? deliveries : []) delivery.ack();
  });
});
process.send?.('joined');
