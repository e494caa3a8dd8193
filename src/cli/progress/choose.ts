import type { Screen } from '../io.ts';
import { cleanText } from '../output/clean.ts';
import { jsonShower } from './json.ts';
import { liveShower } from './live.ts';
import type { Progress } from './model.ts';
import { plainShower } from './plain.ts';
import type { Shower } from './shower.ts';

const nothing = { took: () => {}, noted: () => {}, end: () => {} };

export const progressKinds = ['auto', 'tree', 'plain', 'json', 'none'] as const;
export type ProgressKind = (typeof progressKinds)[number];

export type ShowOn = {
  readonly kind: ProgressKind;
  readonly screen: Screen;
  readonly now: () => number;
  readonly usual_ms: () => number | null;
};

/** Whether something is drawn over itself, rather than told line by line. */
export function drawsTree(kind: ProgressKind, screen: Pick<Screen, 'tty' | 'redraws'>): boolean {
  return (kind === 'tree' && screen.redraws) || (kind === 'auto' && screen.tty);
}

/** `auto`: a tree that is drawn over itself where somebody looks, otherwise lines. */
export function showerFor(progress: Progress, { kind, screen, now, usual_ms }: ShowOn): Shower {
  const parts = { progress, now, write: (text: string) => screen.write(text) };
  if (kind === 'json') return jsonShower(parts);
  if (kind === 'none') return { ...nothing, say: (text) => screen.write(`${cleanText(text)}\n`) };
  if (!drawsTree(kind, screen)) return plainShower(parts);
  return liveShower({
    ...parts,
    colour: screen.colour,
    columns: () => screen.columns ?? 80,
    rows: () => process.stderr.rows || 24,
    usual_ms,
    every: (ms, call) => {
      const timer = setInterval(call, ms);
      return () => clearInterval(timer);
    },
  });
}
