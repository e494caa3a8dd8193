import { version } from '../main/version.ts';
import { exits } from './exits.ts';
import { runProgram } from './run-program.ts';
import { specs } from './specs.ts';

const PATIENCE_MS = 500;

// Whoever reads the output may have seen enough: `gleitzeit list | head -1` is no trouble. A full disk is.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exits.ok.status);
    if (stream === process.stdout) process.stderr.write(`gleitzeit: cannot print: ${error.message}\n`);
    process.exit(exits.failure.status);
  });
}

const { stdout, stderr, env } = process;
const argv = process.argv.slice(2);
process.exitCode = await runProgram({
  // Without a command, say what there is: that is no mistake.
  argv: argv.length === 0 ? ['--help'] : argv,
  stdout,
  stderr,
  stdin_tty: process.stdin.isTTY === true,
  env,
  cwd: process.cwd(),
  now: Date.now,
  version: version(),
  specs,
});
// What is still being opened or closed when the command has ended holds nobody up; what is still being read does.
setTimeout(leave, PATIENCE_MS).unref();

function leave(): void {
  if (stdout.writableLength > 0) stdout.once('drain', leave);
  else process.exit();
}
