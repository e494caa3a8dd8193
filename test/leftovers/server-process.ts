/* A server as `gleitzeit serve` starts it, or `gleitzeit dev --faults`. Once it has stopped it says what is left, and leaves its own end to Node. */
import { untilStopped } from '../../src/cli/until-stopped.ts';
import { faultsFrom } from '../../src/main/faults.ts';
import { loadServerConfig } from '../../src/main/load.ts';
import { startServer } from '../../src/main/server.ts';
import { heldNow, type Leftovers, watchTimers } from './held.ts';

const [file = '', spec] = process.argv.slice(2);
const environment = process.env;
const faults = spec === undefined ? undefined : faultsFrom(spec);
const load = () => loadServerConfig({ file, env: environment, cwd: process.cwd(), database_url: false });
const timers = watchTimers();
// Its own outputs are opened when they are first used.
for (const stream of [process.stdout, process.stderr]) stream.write('');
const before = heldNow();
await untilStopped(async () => startServer({ config: await load(), load, environment, faults }));
// What is closed is gone when the loop has turned.
await new Promise(setImmediate);
const left: Leftovers = { ...heldNow(before), timers: timers() };
process.stdout.write(`${JSON.stringify({ message: 'stopped', ...left })}\n`);
