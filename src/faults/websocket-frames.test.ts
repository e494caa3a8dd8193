import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter, textFrame } from './websocket-frames.ts';

function split(bytes: Buffer, cuts: readonly number[], limit = 1_000_000) {
  const heard: (string | number)[] = [];
  const passed: Buffer[] = [];
  const splitter = new FrameSplitter(limit, {
    message: (message) => {
      passed.push(message.bytes);
      heard.push(message.payload.toString());
    },
    control: (control) => {
      passed.push(control);
      heard.push(control.length);
    },
    tooLarge: () => heard.push('too large'),
  });
  let from = 0;
  for (const at of [...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    splitter.push(bytes.subarray(from, at));
    from = at;
  }
  return { heard, passed: Buffer.concat(passed) };
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(125, 126, 65_535, 65_536, 70_000).map((length) => 'x'.repeat(length)),
);

describe('FrameSplitter', () => {
  it('finds every message and keeps every byte, however they arrive', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), (texts, cuts) => {
        const bytes = Buffer.concat(texts.map(textFrame));
        expect(split(bytes, cuts)).toEqual({ heard: texts, passed: bytes });
      }),
    );
  });

  it('puts messages in several frames together, and tells what stands between them apart', () => {
    const beginning = Buffer.from([0x01, 2, 0x61, 0x62]);
    const ping = Buffer.from([0x89, 1, 0x70]);
    const end = Buffer.from([0x80, 1, 0x63]);
    expect(split(Buffer.concat([beginning, ping, end]), [1, 3, 5]).heard).toEqual([3, 'abc']);
  });

  it('holds no more than it may', () => {
    expect(split(textFrame('x'.repeat(200)), [], 100).heard).toEqual(['too large']);
    const endless = Buffer.concat(Array.from({ length: 50 }, () => Buffer.from([0x00, 2, 0x61, 0x62])));
    expect(split(endless, [], 100).heard).toEqual(['too large']);
  });
});
