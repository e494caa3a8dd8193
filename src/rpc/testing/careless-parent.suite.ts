import process from 'node:process';
import { stdioChannel } from '../stdio/channel.ts';
import { quiet } from './quiet.suite.ts';
import { systemTimers } from './timers.suite.ts';

// A program that starts a child which will not end when asked, says its id, and leaves without closing anything.
const [program, behaviour = 'stubborn'] = process.argv.slice(2);
if (program !== undefined) {
  const channel = stdioChannel({
    command: [process.execPath, program, behaviour],
    environment: process.env,
    ...quiet,
    timers: systemTimers,
  });
  const answer = await channel.call({ id: 1, method: 'm', signal: new AbortController().signal });
  process.stdout.write(JSON.stringify(answer), () => process.exit(0));
}
