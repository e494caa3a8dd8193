import process from 'node:process';
import { scriptedPeer } from './scripted-peer.suite.ts';

// The scripted peer as a program of its own, for the suite of the stdio channel. Its first argument is the framing.
const framing = process.argv[2];
const peer = scriptedPeer();

const framed = (text: string) =>
  framing === 'headers' ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}` : `${text}\n`;

const out = {
  send: (text: string) => void process.stdout.write(framed(text)),
  silence: () => {},
  cut: (beginning: string) => {
    process.stdout.write(framed(beginning).slice(0, -1), () => process.exit(1));
  },
};

let waiting = Buffer.alloc(0);
process.stdin.on('data', (chunk: Buffer) => {
  waiting = Buffer.concat([waiting, chunk]);
  for (let message = next(); message !== null; message = next()) peer.receive(message, out);
});

/** Written apart from the reader under test. */
function next(): string | null {
  if (framing !== 'headers') {
    const end = waiting.indexOf(10);
    return end < 0 ? null : take(0, end, end + 1);
  }
  const header = /^Content-Length: (\d+)\r\n\r\n/.exec(waiting.toString('latin1', 0, 100));
  if (header === null) return null;
  const start = header[0].length;
  const end = start + Number(header[1]);
  return end > waiting.length ? null : take(start, end, end);
}

function take(start: number, end: number, rest: number): string {
  const message = waiting.toString('utf8', start, end);
  waiting = waiting.subarray(rest);
  return message;
}
