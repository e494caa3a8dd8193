import { isObject, own } from '../../core/json.ts';
import { cutTo } from '../output/width.ts';

const LONGEST = 300;
/** Where services put what they ask in words. */
const wordy = ['text', 'question', 'message', 'prompt', 'title'];

/** What a task asks, in one line: its words where it has some, else all of it. */
export function askText(ask: unknown): string {
  const words = isObject(ask) ? wordy.map((key) => own(ask, key)).find(isText) : ask;
  const text = isText(words) ? words : ask == null ? '' : JSON.stringify(ask);
  return cutTo(text.replaceAll(/\s+/g, ' ').trim(), LONGEST);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** How somebody answers it. */
export function answerCommand(task_id: string): string {
  return `gleitzeit respond ${task_id} <answer>`;
}
