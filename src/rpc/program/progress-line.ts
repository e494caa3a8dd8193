import { isObject, own } from '../../core/json.ts';
import type { Progress } from '../../core/ports/provider.ts';

const OPENING = 0x7b;
const words = new Set(['progress', 'total', 'message', 'text']);

/** A line that tells how a program is getting on: an object with these words and no others. Null for every other line. */
export function progressIn(line: Uint8Array): Progress | null {
  if (line[0] !== OPENING) return null;
  const said = parsed(Buffer.from(line).toString('utf8'));
  if (!isObject(said)) return null;
  const keys = Object.keys(said);
  if (keys.length === 0 || !keys.every((key) => words.has(key))) return null;
  const [progress, total] = [own(said, 'progress'), own(said, 'total')];
  const [message, text] = [own(said, 'message'), own(said, 'text')];
  return {
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof text === 'string' ? { text } : {}),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
