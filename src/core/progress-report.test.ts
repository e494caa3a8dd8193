import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPT_TEXT, MAX_PROGRESS_EVENTS, MAX_PROGRESS_MESSAGE, MAX_PROGRESS_TEXT } from './limits.ts';
import type { Progress } from './ports/provider.ts';
import {
  hasNews,
  heard,
  interrupted,
  nextTold,
  noReports,
  pauseBefore,
  type Reports,
} from './progress-report.ts';
import { hiddenForms } from './progress-text.ts';

const having = (...reports: readonly Progress[]) => reports.reduce(heard, noReports);
const toldBy = (...reports: readonly Progress[]) => nextTold(having(...reports), []).told;
/** What comes from outside is not always what it should be. */
const odd = (report: object) => report as Progress;

describe('reports of a running attempt', () => {
  it('are told together: the newest of each, and all of the text', () => {
    const told = toldBy(
      { progress: 1, total: 3, text: 'one ' },
      { progress: 2, message: 'second' },
      { text: 'two' },
    );
    expect(told).toEqual({ progress: 2, total: 3, message: 'second', text: 'one two' });
  });

  it('tell what changed, and nothing where nothing did', () => {
    const first = nextTold(having({ progress: 1, total: 3, message: 'm' }), []);
    expect(first.rest.events).toBe(1);
    const same = nextTold(heard(first.rest, { progress: 1, total: 3, message: 'm' }), []);
    expect(same.told).toBeNull();
    expect(same.rest.events).toBe(1);
    expect(nextTold(heard(same.rest, { progress: 2, total: 3 }), []).told).toEqual({ progress: 2 });
  });

  it.each([
    ['numbers that are none', { progress: Number.NaN, total: Number.POSITIVE_INFINITY }],
    ['texts that are none', { message: 7, text: {} }],
    ['numbers as text', { progress: '1' }],
    ['nothing', {}],
  ])('are left out where they make no sense: %s', (_what, report) => {
    expect(toldBy(odd(report))).toBeNull();
  });

  it('keep a character whole that comes in two pieces, and the end of a line one', () => {
    const first = nextTold(having({ text: 'a\ud83d' }), []);
    expect(first.told).toEqual({ text: 'a' });
    const second = nextTold(heard(first.rest, { text: '\ude00\r' }), []);
    expect(second.told).toEqual({ text: '😀' });
    expect(nextTold(heard(second.rest, { text: '\nb' }), []).told).toEqual({ text: '\nb' });
  });

  it('are cut: a message, and what one event tells of the text', () => {
    const told = toldBy({ message: 'm'.repeat(5000), text: 't'.repeat(5000) });
    expect(told?.message).toBe(`${'m'.repeat(MAX_PROGRESS_MESSAGE - 1)}…`);
    expect(told?.text).toHaveLength(MAX_PROGRESS_TEXT);
    expect(toldBy({ message: 'm'.repeat(50_000) })?.message).toHaveLength(MAX_PROGRESS_MESSAGE);
    const { rest } = nextTold(having({ text: 't'.repeat(5000) }), []);
    expect(hasNews(rest)).toBe(true);
    const next = nextTold(rest, []);
    expect(next.told?.text).toHaveLength(5000 - MAX_PROGRESS_TEXT);
    expect(hasNews(next.rest)).toBe(false);
  });

  it('end with what is left, half a character and half the end of a line included', () => {
    const end = (text: string) => nextTold(having({ text }), [], { last: true }).told?.text;
    expect([end('all'), end('a\ud83d'), end('50%\r')]).toEqual(['all', 'a\ufffd', '50%\n']);
  });

  it('say where another goes on, once it tells something', () => {
    const hidden = hiddenForms(['sk-live-12345678']);
    const first = interrupted(having({ progress: 1, text: 'A1 A2 sk-live-12' }), hidden);
    expect(nextTold(first, hidden).told).toEqual({ progress: 1, text: 'A1 A2 [secret]' });
    expect(nextTold(heard(first, { progress: 2, text: '' }), hidden).told?.text).toBe('A1 A2 [secret]');
    const both = heard(heard(first, { text: '345678 B7' }), { text: ' B8' });
    expect(nextTold(both, hidden).told?.text).toBe('A1 A2 [secret]…345678 B7 B8');
    expect(nextTold(heard(interrupted(noReports, []), { text: 'B7' }), []).told?.text).toBe('…B7');
  });

  it.each([
    ['in one piece', [MAX_ATTEMPT_TEXT + 1]],
    ['when there is no room at all', [MAX_ATTEMPT_TEXT, 1]],
    ['and say so once', [MAX_ATTEMPT_TEXT, 1, 5, 5]],
  ])('keep so much text of an attempt: %s', (_what, sizes) => {
    const reports = having(...sizes.map((size) => ({ text: 't'.repeat(size) })));
    expect(allTextOf(reports)).toBe(`${'t'.repeat(MAX_ATTEMPT_TEXT)}…`);
  });

  it('keep what just fits', () => {
    expect(allTextOf(having({ text: 't'.repeat(MAX_ATTEMPT_TEXT) }))).toBe('t'.repeat(MAX_ATTEMPT_TEXT));
  });

  it('hide secrets: across pieces, in messages, as numbers', () => {
    const hidden = hiddenForms(['hunter2', '4711']);
    const first = nextTold(having({ text: 'key hun', message: 'using hunter2', progress: 4711 }), hidden);
    expect(first.told).toEqual({ text: 'key ', message: 'using [secret]' });
    expect(nextTold(heard(first.rest, { text: 'ter2.', total: 4711 }), hidden).told).toEqual({
      text: '[secret].',
    });
    const long = `${'hunter2'.repeat(2000)}`;
    expect(nextTold(having({ message: long }), hidden).told?.message).not.toContain('hunt');
  });

  it('stay within their bounds, whatever is reported', () => {
    const report = fc.record(
      {
        progress: fc.double(),
        message: fc.string({ maxLength: 3000, unit: 'binary' }),
        text: fc.string({ maxLength: 20_000, unit: 'binary' }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(report, { maxLength: 30 }), (all) => {
        let reports = noReports;
        let text = '';
        for (const one of all) {
          const { told, rest } = nextTold(heard(reports, one), []);
          expect(told?.text?.length ?? 0).toBeLessThanOrEqual(MAX_PROGRESS_TEXT);
          expect(told?.message?.length ?? 0).toBeLessThanOrEqual(MAX_PROGRESS_MESSAGE);
          expect(JSON.stringify(told)).not.toContain('null,');
          text += told?.text ?? '';
          reports = rest;
        }
        expect((text + allTextOf(reports)).length).toBeLessThanOrEqual(MAX_ATTEMPT_TEXT + 1);
      }),
      { numRuns: 50 },
    );
  });
});

function allTextOf(reports: Reports): string {
  let all = '';
  for (let rest = reports; ; ) {
    const next = nextTold(rest, []);
    if (next.told === null) return all;
    all += next.told.text ?? '';
    rest = next.rest;
  }
}

describe('the pace of events', () => {
  const pause = (events: number) => pauseBefore({ ...noReports, events });

  it('is four in a second, and slower the longer the attempt goes on', () => {
    expect([0, 1, 199, 200, 400, MAX_PROGRESS_EVENTS - 1].map(pause)).toEqual([
      50, 250, 250, 500, 1000, 128_000,
    ]);
  });

  it('comes to an end', () => {
    expect(pause(MAX_PROGRESS_EVENTS)).toBeNull();
    let hours = 0;
    for (let events = 1; events < MAX_PROGRESS_EVENTS; events++) hours += (pause(events) ?? 0) / 3_600_000;
    expect(hours).toBeGreaterThan(12);
  });
});
