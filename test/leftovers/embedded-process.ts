/* An engine inside a program. Once it has stopped it says what is left, and leaves its own end to Node. */
import { createGleitzeit } from '../../src/main/embedded.ts';
import { heldNow, type Leftovers, watchTimers } from './held.ts';

const [path = ''] = process.argv.slice(2);
const timers = watchTimers();
// Its own outputs are opened when they are first used.
for (const stream of [process.stdout, process.stderr]) stream.write('');
const before = heldNow();
const begun = Promise.withResolvers<void>();
const gleitzeit = await createGleitzeit({
  store: { type: 'sqlite', path },
  protocols: [{ name: 'text/v1', methods: { say: {}, hang: {}, stumble: {} } }],
  providers: [
    {
      id: 'local',
      protocol: 'text/v1',
      methods: {
        say: () => 'said',
        hang: () => {
          begun.resolve();
          return new Promise<never>(() => {});
        },
        stumble: () => {
          throw new Error('not now');
        },
      },
    },
  ],
});
const submit = (method: 'say' | 'hang' | 'stumble') => gleitzeit.submit({ protocol: 'text/v1', method });
const { task_id } = await submit('say');
await gleitzeit.result(task_id, { wait: 10_000 });
await Promise.all([submit('hang'), submit('stumble'), begun.promise]);
await gleitzeit.stop({ deadline_ms: 100 });
// What is closed is gone when the loop has turned.
await new Promise(setImmediate);
const left: Leftovers = { ...heldNow(before), timers: timers() };
process.stdout.write(`${JSON.stringify({ message: 'stopped', ...left })}\n`);
