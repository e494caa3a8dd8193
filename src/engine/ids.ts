import type { Clock } from '../core/ports/clock.ts';
import type { Random } from '../core/ports/random.ts';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * UUIDv7 that sort in the order they were made: time, then a counter within the millisecond. A wall clock that jumps
 * back does not take the order with it.
 */
export function createIds(clock: Pick<Clock, 'wall'>, random: Pick<Random, 'bytes'>): () => string {
  let time = 0;
  let counter = 0;
  return () => {
    const now = Math.max(0, Math.floor(clock.wall()));
    if (now > time) {
      time = now;
      counter = 0;
    } else if (++counter > 0xfff) {
      time++;
      counter = 0;
    }
    return format(time, counter, random.bytes(8));
  };
}

function format(time: number, counter: number, tail: Uint8Array): string {
  const clock = time.toString(16).padStart(12, '0');
  const count = counter.toString(16).padStart(3, '0');
  const byte = (index: number) => HEX[tail[index] ?? 0];
  const variant = HEX[((tail[0] ?? 0) & 0x3f) | 0x80];
  const node = byte(2) + (byte(3) ?? '') + byte(4) + byte(5) + byte(6) + byte(7);
  return `${clock.slice(0, 8)}-${clock.slice(8)}-7${count}-${variant}${byte(1)}-${node}`;
}
