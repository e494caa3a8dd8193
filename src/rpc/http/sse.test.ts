import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SseEvent, SseParser, sseEvents } from './sse.ts';

function read(text: string | readonly string[], max = 10_000) {
  const parser = new SseParser(max);
  const pieces = typeof text === 'string' ? [text] : text;
  const events = pieces.flatMap((piece) => parser.push(Buffer.from(piece)));
  return { events, parser };
}

const message = (data: string, more: Partial<SseEvent> = {}) => ({ event: 'message', data, id: '', ...more });

describe('an event stream', () => {
  it.each([
    ['one event', 'data: hello\n\n', [message('hello')]],
    ['no space after the colon', 'data:hello\n\n', [message('hello')]],
    ['only the first space is taken', 'data:  hello\n\n', [message(' hello')]],
    ['several lines of data', 'data: a\ndata: b\ndata:\ndata: c\n\n', [message('a\nb\n\nc')]],
    ['CR LF', 'data: a\r\ndata: b\r\n\r\n', [message('a\nb')]],
    ['CR alone', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['a mark of the byte order', '\ufeffdata: a\n\n', [message('a')]],
    ['remarks', ': ping\n\n:\ndata: a\n: in between\n\n', [message('a')]],
    ['a kind', 'event: delta\ndata: a\n\ndata: b\n\n', [message('a', { event: 'delta' }), message('b')]],
    ['an id stays', 'id: 7\ndata: a\n\ndata: b\n\n', [message('a', { id: '7' }), message('b', { id: '7' })]],
    ['an id is taken back', 'id: 7\ndata: a\n\nid\ndata: b\n\n', [message('a', { id: '7' }), message('b')]],
    ['an id with a zero byte is none', 'id: a\0b\ndata: a\n\n', [message('a')]],
    ['no data, no event', 'event: ping\nid: 1\n\ndata: a\n\n', [message('a', { id: '1' })]],
    ['empty data is data', 'data\n\ndata:\n\n', [message(''), message('')]],
    ['unknown fields', 'hello: there\nwhat\ndata: a\n\n', [message('a')]],
    ['an end without an empty line', 'data: a\n\ndata: b\n', [message('a')]],
    ['nothing', '', []],
  ])('%s', (_, text, events) => {
    expect(read(text).events).toEqual(events);
  });

  it('is read the same in whatever pieces it arrives', () => {
    const text = '\ufeffid: 1\r\ndata: ü→😀\r\n\r\n: x\revent: e\rdata: b\rdata: c\r\rdata: d\n\ndata: e\n\n';
    const whole = read(text).events;
    expect(whole).toHaveLength(4);
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const parser = new SseParser(1000);
        const events = at.slice(1).flatMap((to, i) => parser.push(bytes.subarray(at[i], to)));
        expect(events).toEqual(whole);
      }),
    );
  });

  it('says where to go on, and after how long', () => {
    const { parser } = read('id: 3\nretry: 250\n\nretry: soon\n\n');
    expect([parser.last_id, parser.retry_ms]).toEqual(['3', 250]);
    expect(read('data: a\n\n').parser.retry_ms).toBeNull();
  });

  it('does not hold an event of any size', () => {
    expect(read('data: 12345\n\n', 6).events).toEqual([message('12345')]);
    expect(() => read('data: 123456\n\n', 6)).toThrow('more than 6 characters');
    expect(() => read('data: 12\ndata: 345\n\n', 6)).toThrow('more than 6');
    expect(() => read(['data: 1', '2345678'], 10)).toThrow('more than 10');
  });

  it('comes out of an answer event by event', async () => {
    async function* body() {
      yield Buffer.from('data: a\n');
      yield Buffer.from('\ndata: b\n\n');
    }
    const seen: string[] = [];
    for await (const { data } of sseEvents(body(), new SseParser(100))) seen.push(data);
    expect(seen).toEqual(['a', 'b']);
  });
});
