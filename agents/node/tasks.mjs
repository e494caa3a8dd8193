// The tasks of this agent, in memory. A bounded number is kept; a restart forgets them.
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Ask, Failure } from './skills.mjs';

const MOST_TASKS = 1000;

export const tasks = new Map();
export const byMessage = new Map();

export class Busy extends Error {}

export class Task extends EventEmitter {
  id = randomUUID();
  parts = []; // of its one artifact
  history = [];
  updates = []; // everything that happened, for those who stream
  keys = []; // of the messages that belong to it
  stop = new AbortController();

  constructor(contextId) {
    super();
    this.setMaxListeners(0);
    this.contextId = contextId;
    makeRoom();
    this.become('submitted');
    tasks.set(this.id, this);
  }

  hasEnded() {
    return ['completed', 'failed', 'canceled'].includes(this.status?.state);
  }

  /** Nothing happens until somebody does something. */
  rests() {
    return this.hasEnded() || this.status.state === 'input-required';
  }

  become(state, text) {
    // What has ended stays as it is: the late result of a canceled task is dropped.
    if (this.hasEnded()) return;
    const message = text === undefined ? null : { id: randomUUID(), role: 'agent', parts: [{ text }] };
    this.status = { state, message, timestamp: new Date().toISOString() };
    this.tell({ status: this.status, final: this.rests() });
  }

  add(text, last) {
    if (this.hasEnded()) return;
    this.parts.push({ text });
    this.tell({ part: { text }, append: this.parts.length > 1, last });
  }

  tell(update) {
    this.updates.push(update);
    this.emit('update');
  }

  /** A message came: what it asks for is done by `start`, once whoever streams is listening. */
  take(message, { key, skill, text }) {
    if (this.status.message !== null) this.history.push(this.status.message);
    this.history.push(message);
    this.keys.push(key);
    byMessage.set(key, this);
    this.skill = skill;
    this.pending = text;
    this.become('working');
  }

  async start() {
    const text = this.pending;
    if (text === undefined) return;
    this.pending = undefined;
    try {
      const say = (piece) => this.add(piece, false);
      this.add(await this.skill.run(text, { say, signal: this.stop.signal }), true);
      this.become('completed');
    } catch (thrown) {
      if (thrown instanceof Ask) this.become('input-required', thrown.message);
      else this.become('failed', reasonOf(thrown));
    }
  }
}

/** The oldest that rests makes room for a new one. */
function makeRoom() {
  if (tasks.size < MOST_TASKS) return;
  for (const task of tasks.values()) {
    if (!task.rests()) continue;
    tasks.delete(task.id);
    for (const key of task.keys) byMessage.delete(key);
    return;
  }
  throw new Busy('Too many tasks at once');
}

/** What a caller may know of an error. */
export function reasonOf(thrown) {
  if (thrown instanceof Failure) return thrown.message;
  if (thrown.name === 'AbortError') return 'The agent was stopped.';
  console.error(thrown);
  return 'The agent could not do it.';
}

/** Ends what runs, so that whoever waits gets an answer. */
export function stopTasks() {
  for (const task of tasks.values()) {
    if (!task.rests()) task.become('failed', 'The agent was stopped.');
    task.stop.abort();
  }
}
