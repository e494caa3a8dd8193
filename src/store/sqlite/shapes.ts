import type { DatabaseSync } from 'node:sqlite';
import type { Shape } from './bodies.ts';
import { prepare, type Query } from './connection.ts';
import { damaged } from './errors.ts';

/** How many shapes are kept once for all; further ones stand with their tasks, so that the book stays small. */
const MOST_SHAPES = 1000;

/** What tasks have in common. A number in a task's body stands for an entry here. */
export class ShapeBook {
  readonly #numbers = new Map<string, number>();
  readonly #shapes = new Map<number, Shape>();
  #seen = new WeakMap<object, Map<string, number | string>>();
  readonly #all: Query;
  readonly #insert: Query;

  constructor(db: DatabaseSync) {
    this.#all = prepare(db, 'SELECT id, text FROM shape');
    this.#insert = prepare(db, 'INSERT INTO shape (id, text) VALUES (?, ?)');
    this.load();
  }

  load(): void {
    this.#seen = new WeakMap();
    this.#numbers.clear();
    this.#shapes.clear();
    for (const [id, text] of this.#all.all() as [number, string][]) this.#remember(id, text);
  }

  /** What stands for the shape in the tables: its number, or all of it. */
  valueOf({ protocol, method, timeout, retry_config, agent }: Shape): number | string {
    const call = `${timeout} ${method} ${protocol}`;
    const key = agent === undefined ? call : `${call} ${agent}`;
    const seen = this.#seen.get(retry_config);
    const known = seen?.get(key);
    if (known !== undefined) return known;
    // Without an agent the same text as ever: a store that is older knows it by that.
    const text = JSON.stringify({ protocol, method, timeout, retry_config, agent });
    const value = this.#numbers.get(text) ?? this.#add(text);
    if (seen === undefined) this.#seen.set(retry_config, new Map([[key, value]]));
    else seen.set(key, value);
    return value;
  }

  #add(text: string): number | string {
    if (this.#numbers.size >= MOST_SHAPES) return text;
    const id = this.#numbers.size + 1;
    this.#insert.run(id, text);
    this.#remember(id, text);
    return id;
  }

  #remember(id: number, text: string): void {
    this.#numbers.set(text, id);
    this.#shapes.set(id, JSON.parse(text) as Shape);
  }

  shapeOf(value: number | string): Shape {
    if (typeof value === 'string') return JSON.parse(value) as Shape;
    const known = this.#shapes.get(value);
    if (known !== undefined) return known;
    // Another connection added it since.
    this.load();
    const shape = this.#shapes.get(value);
    if (shape === undefined) throw damaged(`there is no shape ${value}`);
    return shape;
  }
}
