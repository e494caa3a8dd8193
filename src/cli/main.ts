import { version } from '../main/version.ts';
import { exits } from './exits.ts';
import { runProgram } from './run-program.ts';
import { specs } from './specs.ts';

const PATIENCE_MS = 500;

/** Whether the command ends as a run does: that is known only at its end. */
let endsAsRun = false;
let unread = false;

// Whoever reads the output may have seen enough: `gleitzeit list | head -1` is no trouble. A full disk is. A run that nobody
// reads about goes on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') {
      if (!endsAsRun) process.exit(exits.ok.status);
      unread ||= stream === process.stdout;
      return;
    }
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
  cwd: folderOrEnd(),
  now: Date.now,
  version: version(),
  specs,
  understood: (spec) => {
    endsAsRun = spec.exits.includes('run_failed');
  },
});
// What is still being opened or closed when the command has ended holds nobody up; what is still being read does.
setTimeout(leave, PATIENCE_MS).unref();

function folderOrEnd(): string {
  try {
    return process.cwd();
  } catch {
    stderr.write('gleitzeit: the folder this was started in is not there any more\n');
    return process.exit(exits.failure.status);
  }
}

function leave(): void {
  if (stdout.writableLength > 0 && !unread) stdout.once('drain', leave);
  else process.exit();
}
