/** A flood in a process of its own: one message says how much, one says what came of it. */
import { type FloodOptions, flood } from './flood.ts';

process.once('disconnect', () => process.exit());
process.once('message', async (options: FloodOptions) => {
  const report = await flood(options);
  process.send?.(report, () => process.disconnect?.());
});
