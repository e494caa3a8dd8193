import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { defaultRetry } from '../../core/retry.ts';
import { ShapeBook } from './shapes.ts';

const shape = { protocol: 'p/v1', method: 'm', timeout: 30, retry_config: defaultRetry };
/** As a store wrote it before tasks could name agents. */
const before = JSON.stringify(shape);

function book(...known: readonly string[]) {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE shape (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  for (const text of known) db.prepare('INSERT INTO shape (text) VALUES (?)').run(text);
  return { db, shapes: new ShapeBook(db) };
}

describe('what tasks have in common', () => {
  it('is read from a store that knows no agents, and known again by the same text', () => {
    const { shapes } = book(before);
    expect(shapes.shapeOf(1)).toEqual(shape);
    expect(shapes.shapeOf(1)).not.toHaveProperty('agent');
    expect(shapes.valueOf(shape)).toBe(1);
  });

  it('is another for each agent, whatever they are called', () => {
    const { db, shapes } = book(before);
    const agents = ['A', 'A b', 'p/v1', '__proto__'];
    const numbers = agents.map((agent) => shapes.valueOf({ ...shape, agent }));
    expect(new Set([shapes.valueOf(shape), ...numbers]).size).toBe(5);
    const reopened = new ShapeBook(db);
    expect(numbers.map((number) => reopened.shapeOf(number).agent)).toEqual(agents);
  });
});
