import fc from 'fast-check';
import type { ProgressEvent } from './model.ts';

const BEGAN = Date.parse('2026-01-05T12:00:00Z');

export const at = (ms: number): string => new Date(BEGAN + ms).toISOString();
export const began = BEGAN;

/** Events numbered and placed in time as they are listed: name, task, data. */
export type Told = readonly [event: string, task: string | null, data?: object];

export function events(told: readonly Told[], step_ms = 100): ProgressEvent[] {
  return told.map(([event, task, data = {}], index) => ({
    cursor: index + 1,
    event,
    at: at(index * step_ms),
    workflow_id: 'w',
    ...(task === null ? {} : { task_id: `t-${task}` }),
    data,
  }));
}

export function introduction(id: string, dependencies: readonly string[] = []): object {
  return { reason: 'submitted', task: { id, name: id, protocol: 'p/v1', method: 'm', dependencies } };
}

const nasty = fc.constantFrom(
  '\x1b[31m',
  '\r\n',
  '\u202e',
  '\x07',
  '日本語',
  '👩‍👩‍👧',
  'é',
  '\u2028',
  '\ud800',
);
const texts = fc
  .array(fc.oneof(nasty, fc.string({ maxLength: 12 })), { maxLength: 6 })
  .map((parts) => parts.join(''));

const names = [
  ...['task:waiting', 'task:queued', 'task:started', 'task:retrying', 'task:interrupted', 'task:completed'],
  ...['task:failed', 'task:cancelled', 'task:skipped', 'task:reused', 'task:progress', 'task:unheard-of'],
];
const runNames = [
  'workflow:started',
  'workflow:paused',
  'workflow:resumed',
  'workflow:completed',
  'workflow:failed',
];

/** Anything a server could say, sensible or not. */
export const anyEvents: fc.Arbitrary<ProgressEvent[]> = fc
  .array(
    fc.record({
      event: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...runNames)),
      task: fc.nat({ max: 12 }),
      text: texts,
      attempt: fc.nat({ max: 9 }),
      ms: fc.integer({ min: -1000, max: 100_000 }),
    }),
    { maxLength: 120 },
  )
  .map((list) =>
    list.map(({ event, task, text, attempt, ms }, index) => ({
      cursor: index + 1,
      event,
      at: at(ms),
      workflow_id: 'w',
      ...(event.startsWith('task:') ? { task_id: `t${task}` } : {}),
      data: {
        name: text,
        total: 3,
        progress: attempt - 2,
        message: text,
        text,
        attempt,
        due_at: at(ms + 5000),
        started_at: at(ms),
        error: { message: text },
        because: `t${attempt}`,
        reason: text,
        task: { id: `${text}${task}`, protocol: text, dependencies: [text, `x${attempt}`] },
      },
    })),
  );
