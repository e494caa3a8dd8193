import process from 'node:process';
import { planOf, planText } from './plan.ts';
import { FAULT_LINE, readProgramArguments } from './program-arguments.ts';
import { relayStdio } from './stdio-relay.ts';
import { numberedPlans } from './turns.ts';

/* Does its work when it is loaded: a process that stands between us and a program that speaks over stdio. */

const { command, framing, max_message, spec, seed, turns } = readProgramArguments(process.argv.slice(2));
const next = numberedPlans(turns, (turn) => planOf(spec, seed, turn));
const say = (text: string) => void process.stderr.write(`${text}\n`);

const relay = relayStdio({
  command,
  framing,
  max_message,
  plan: () => {
    const plan = next();
    const text = planText(plan);
    if (text !== null) say(`${FAULT_LINE}${text} (${command[0]})`);
    return plan;
  },
  clock: { wall: () => Date.now(), monotonic: () => performance.now() },
  timers: {
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    soon: (call) => void setImmediate(call),
  },
  input: process.stdin,
  output: process.stdout,
  end: (how) => {
    if (typeof how === 'number') process.exit(how);
    for (const name of asked) process.removeAllListeners(name);
    process.kill(process.pid, how);
  },
  say,
});

// The program is asked to end, and this process ends with it.
const asked = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
for (const name of asked) process.on(name, () => relay.signal(name));
// Nobody listens any more.
process.stdout.on('error', () => relay.signal('SIGTERM'));
