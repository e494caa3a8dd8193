import { stripVTControlCharacters } from 'node:util';
import { cleanText } from '../output/clean.ts';
import { widthOf } from '../output/width.ts';
import { renderProgress } from './render.ts';
import type { Shower, ShowerParts } from './shower.ts';

export type LiveParts = ShowerParts & {
  readonly colour: boolean;
  /** Asked for each frame: people change the size of their windows. */
  readonly columns: () => number;
  readonly rows: () => number;
  readonly usual_ms: () => number | null;
  /** Calls again and again; returns the way to stop it. */
  readonly every: (ms: number, call: () => void) => () => void;
};

/** Ten times a second is as often as anybody can see. */
const FRAME_MS = 100;
/** A line of its own must stay free for the cursor. */
const SPARE_ROWS = 1;
/** Lines of the last frame. */
const LONGEST_END = 200;

/** Draws the run over itself again and again; the last frame stays. */
export function liveShower(parts: LiveParts): Shower {
  const drawing = new Drawing(parts);
  const stop = parts.every(FRAME_MS, () => drawing.draw());
  return {
    took: () => {},
    noted: () => {},
    say: (text) => drawing.say(text),
    end: () => {
      stop();
      drawing.draw('whole');
    },
  };
}

class Drawing {
  readonly #parts: LiveParts;
  /** Widths of the lines on the screen. */
  #drawn: readonly number[] = [];
  #turn = 0;
  /** What a server's clock is ahead of ours. */
  #ahead = 0;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** `whole`: nothing is drawn over it any more, so it may be longer than the screen. */
  draw(extent: 'fitting' | 'whole' = 'fitting'): void {
    const { progress, colour, write, usual_ms } = this.#parts;
    const columns = this.#parts.columns();
    const rows = extent === 'whole' ? LONGEST_END : this.#parts.rows() - SPARE_ROWS;
    const now = this.#now();
    const frame = { now, columns, rows, colour, usual_ms: usual_ms(), turn: this.#turn++ };
    const lines = renderProgress(progress, frame);
    write(`${this.#wiped()}${lines.map((line) => `${line}\n`).join('')}`);
    this.#drawn = lines.map((line) => widthOf(stripVTControlCharacters(line)));
  }

  say(text: string): void {
    this.#parts.write(`${this.#wiped()}${cleanText(text.trimEnd())}\n`);
    this.#drawn = [];
    this.draw();
  }

  /** Goes back to where the last frame began and clears it. In a window made narrower its lines take several rows. */
  #wiped(): string {
    const columns = this.#parts.columns();
    const height = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return height === 0 ? '' : `\x1b[${height}A\r\x1b[J`;
  }

  /** What has just happened there cannot be in the future here. */
  #now(): number {
    const { progress, now } = this.#parts;
    const newest = Math.max(progress.ended_at ?? 0, ...progress.tasks.map((task) => task.started_at ?? 0));
    const here = now();
    this.#ahead = Math.max(this.#ahead, newest - here);
    return here + this.#ahead;
  }
}
