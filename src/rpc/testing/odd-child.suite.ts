import { spawn } from 'node:child_process';
import process from 'node:process';

// A child that behaves as its first argument says, for the tests of its life and its end.
const [behaviour = 'none', ...rest] = process.argv.slice(2);

const answer = (text: string, result: unknown) => {
  const { id } = JSON.parse(text);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
};

/** One line at a time; the tests send no more than that. */
const onLine = (heard: (line: string) => void) =>
  process.stdin.setEncoding('utf8').on('data', (text) => {
    for (const line of String(text).trim().split('\n')) heard(line);
  });

const behaviours: Readonly<Record<string, () => void>> = {
  none: () => {},
  environment: () => onLine((line) => answer(line, process.env)),
  arguments: () => onLine((line) => answer(line, { rest, cwd: process.cwd() })),
  // Dies of the first thing it is asked, and says why.
  dies: () =>
    process.stdin.once('data', () => {
      process.stderr.write('first line\nthe reason: no model\n', () => process.exit(7));
    }),
  tells_secrets: () =>
    process.stdin.once('data', () => {
      process.stderr.write(`no access with ${process.env['API_KEY']}\n`, () => process.exit(1));
    }),
  // Answers and is gone: the answer must arrive all the same.
  one_shot: () =>
    onLine((line) => {
      answer(line, 'x'.repeat(100_000));
      process.exitCode = 0;
      process.stdin.destroy();
    }),
  // Has a child of its own that will not end when asked.
  family: () => {
    const stubborn =
      "process.on('SIGTERM', () => {}); process.stdout.write('ready'); setInterval(() => {}, 1e6)";
    const grandchild = spawn(process.execPath, ['-e', stubborn], { stdio: ['ignore', 'pipe', 'ignore'] });
    grandchild.stdout.once('data', () =>
      onLine((line) => (line.includes('"leave"') ? process.exit(5) : answer(line, grandchild.pid))),
    );
  },
  // Has a child that leads a session of its own, does not end when asked, and whose parent has ended.
  scattered: () => {
    const stubborn =
      "process.on('SIGTERM', () => {}); process.stdout.write(String(process.pid)); setInterval(() => {}, 1e6)";
    const between = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'inherit', detached: true }).unref()`;
    const parent = spawn(process.execPath, ['-e', between], { stdio: ['ignore', 'pipe', 'ignore'] });
    parent.stdout.once('data', (pid) => onLine((line) => answer(line, Number(pid))));
  },
  // Takes its mark out of what it starts.
  unmarked: () => {
    const { GLEITZEIT_PROGRAM: _, ...env } = process.env;
    const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true, env });
    onLine((line) => answer(line, child.pid));
  },
  stubborn: () => {
    process.on('SIGTERM', () => process.stderr.write('never\n'));
    setInterval(() => {}, 1e6);
    onLine((line) => answer(line, process.pid));
  },
  screams: () => {
    for (let n = 0; n < 2000; n++) process.stderr.write(`line ${n} ${'x'.repeat(3000)}\n`);
    onLine((line) => answer(line, 'done'));
  },
  sulks: () => onLine((line) => line.includes('"silence"') || answer(line, process.pid)),
  never_reads: () => setInterval(() => {}, 1e6),
  bad_header: () => onLine(() => process.stdout.write('Content-Length: many\r\n\r\n{}')),
  // Takes either framing and writes headers: says which one it was asked in.
  headers: () =>
    process.stdin.setEncoding('utf8').on('data', (chunk) => {
      const text = String(chunk);
      const { id } = JSON.parse(text.slice(text.indexOf('{')));
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: text.startsWith('{') ? 'lines' : 'headers' });
      process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    }),
};

behaviours[behaviour]?.();
