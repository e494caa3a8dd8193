import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll } from 'vitest';
import { examplesSuite, type SendText } from '../examples.suite.ts';
import { programOf } from '../testing/peer-process.suite.ts';
import { frameReader } from './frame-reader.ts';
import { type Framing, frame } from './framing.ts';

const server = programOf('stdio-server.suite.ts');
const started: ChildProcess[] = [];
afterAll(() => {
  for (const process of started) process.kill();
});

/** Sends a text, then a question that is answered last, and brings back what was said before that answer. */
function sender(framing: Framing): SendText {
  const { command, env } = server();
  const process = spawn(command[0], command.slice(1), { env, stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(process);
  let said: string[] = [];
  let heardLast = () => {};
  const reader = frameReader({
    framing,
    max_message: 1e6,
    sink: {
      message: (bytes) => {
        const text = new TextDecoder().decode(bytes);
        if (text.includes('after all')) heardLast();
        else said.push(text);
      },
      refused: () => {},
      broken: () => {},
    },
  });
  process.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
  return async (text) => {
    const answered = new Promise<void>((resolve) => {
      heardLast = resolve;
    });
    process.stdin.write(frame(text, framing));
    process.stdin.write(frame('{"jsonrpc":"2.0","method":"after_all","id":"last"}', framing));
    await answered;
    const [first = null, ...more] = said;
    said = [];
    if (more.length > 0) throw new Error(`said more than once: ${more}`);
    return { text: first };
  };
}

examplesSuite('stdio in lines', sender('lines'), { carries_empty: false });
examplesSuite('stdio in headers', sender('headers'));
