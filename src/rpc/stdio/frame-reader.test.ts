import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameReader } from './frame-reader.ts';
import { type Framing, frame } from './framing.ts';

function reading(framing: Framing | 'auto', max_message = 1000) {
  const told: string[] = [];
  const decided: Framing[] = [];
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const reader = frameReader({
    framing,
    max_message,
    decided: (found) => decided.push(found),
    sink: {
      message: (bytes) => told.push(text(bytes)),
      refused: (head, reason) => told.push(`refused ${text(head).slice(0, 5)} ${reason}`),
      broken: (reason) => told.push(`broken ${reason}`),
    },
  });
  return { told, decided, push: (chunk: string | Buffer) => reader.push(Buffer.from(chunk)) };
}

describe('messages on a stream', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text) => JSON.stringify(text)),
    {
      maxLength: 10,
    },
  );
  it.each(['lines', 'headers', 'auto lines', 'auto headers'] as const)(
    '%s: come whole, wherever the stream is cut',
    (name) => {
      const spoken: Framing = name.endsWith('lines') ? 'lines' : 'headers';
      fc.assert(
        fc.property(texts, fc.array(fc.nat(40)), (messages, cuts) => {
          const { told, push } = reading(name.startsWith('auto') ? 'auto' : spoken);
          const stream = Buffer.from(messages.map((text) => frame(text, spoken)).join(''));
          let at = 0;
          for (const cut of [...cuts, stream.length]) {
            push(stream.subarray(at, at + cut));
            at = Math.min(stream.length, at + cut);
          }
          expect(told).toEqual(messages);
        }),
      );
    },
  );

  it('in lines: carriage returns and empty lines mean nothing', () => {
    const { told, push } = reading('lines');
    push('\n\r\n{"a":1}\r\n  \n7\n{"never');
    expect(told).toEqual(['{"a":1}\r', '7']);
  });

  it('in headers: names in any case, further headers, no body at all', () => {
    const { told, push } = reading('headers');
    push('content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n7');
    expect(told).toEqual(['{}', '', '7']);
  });

  it.each([
    ['no count', 'Content-Length: x\r\n\r\n', 'a header without a Content-Length'],
    ['a negative count', 'Content-Length: -1\r\n\r\n', 'a header without a Content-Length'],
    ['no header', '{"jsonrpc":"2.0"}\r\n\r\n', 'a header without a Content-Length'],
    ['no end', 'x'.repeat(10_000), 'a header longer than 8192 bytes'],
  ])('in headers: %s breaks the stream', (_, text, reason) => {
    const { told, push } = reading('headers');
    push(text);
    push('Content-Length: 1\r\n\r\n7');
    expect(told).toEqual([`broken ${reason}`]);
  });

  it.each(['lines', 'headers'] as const)(
    '%s: one past the bound is refused with its beginning, and the next is read',
    (framing) => {
      const { told, push } = reading(framing, 10);
      const stream = Buffer.from(
        frame(`begin${'x'.repeat(100_000)}`, framing) + frame('1234567890', framing),
      );
      for (let at = 0; at < stream.length; at += 1000) push(stream.subarray(at, at + 1000));
      expect(told).toEqual(['refused begin is larger than 10 bytes', '1234567890']);
    },
  );

  // Were it copied with every piece, this would not end within the time a test has.
  it('a large message in small pieces is gathered once', () => {
    const { told, push } = reading('lines', 1e8);
    const piece = Buffer.alloc(1000, 'x');
    for (let n = 0; n < 20_000; n++) push(piece);
    push('\n');
    expect(told[0]).toHaveLength(2e7);
  });
});

describe('sniffing', () => {
  it.each([
    ['{"a":1}\n', 'lines'],
    ['[1]\n', 'lines'],
    ['Content-Length: 2\r\n\r\n{}', 'headers'],
    ['content-type: text\r\nContent-Length: 2\r\n\r\n{}', 'headers'],
    ['Connecting …\n', 'lines'],
    ['Content is king\n', 'lines'],
    [`${' '.repeat(200)}Content-Length`, 'lines'],
  ] as const)('%j: %s', (text, framing) => {
    const { decided, push } = reading('auto');
    for (const byte of Buffer.from(text)) push(Buffer.from([byte]));
    expect(decided).toEqual([framing]);
  });
});
