import { randomUUID } from 'node:crypto';
import process from 'node:process';
import type { Timers } from '../../core/ports/clock.ts';
import { type Listed, listProcesses, type Running, variableOf } from './processes.ts';

/** A program, by which its descendants are found wherever they went. */
export type Family = {
  readonly leader: Running;
  /** What it was given as a mark; null for one that was given none, of which nobody is found. */
  readonly mark: string | null;
  /** Descendants that were found before: theirs count too. */
  readonly known: readonly Running[];
};

/** Handed on from parent to child, so that it tells whose a process is after its parents have ended. */
const MARK = 'GLEITZEIT_PROGRAM';

type Environment = Readonly<Record<string, string>>;

/** With a mark that no other program has or had, where that can be read again. It says nothing to anybody else. */
export function marked(env: Environment): { readonly env: Environment; readonly mark: string | null } {
  if (process.platform !== 'linux') return { env, mark: null };
  const mark = randomUUID();
  return { env: { ...env, [MARK]: mark }, mark };
}

/**
 * The descendants of each that run now, the leaders apart: whoever has the mark, and whoever was started by one of these. A
 * program may take the mark out of what it starts, and some write over where it stands; then the parents tell.
 */
export function descendantsOf(families: readonly Family[]): Listed[][] {
  const all = listProcesses().filter(({ pid }) => pid !== process.pid);
  // Nobody began before whoever started it, and so most need not be asked.
  const earliest = Math.min(...families.map(({ leader }) => Number(leader.start)));
  const byMark = Map.groupBy(all, ({ pid, start }) =>
    Number(start) < earliest ? null : variableOf(pid, MARK),
  );
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  return families.map(({ leader, mark, known }) => {
    if (mark === null) return [];
    const starts = new Map([leader, ...known].map(({ pid, start }) => [pid, start]));
    const found = new Set(all.filter(({ pid, start }) => starts.get(pid) === start));
    for (const one of byMark.get(mark) ?? []) found.add(one);
    // What is added while it is gone through is gone through as well.
    for (const { pid } of found) for (const child of byParent.get(pid) ?? []) found.add(child);
    return [...found].filter(({ pid }) => pid !== leader.pid);
  });
}

type Asked = { readonly family: Family; readonly tell: (found: readonly Listed[]) => void };

const asked: Asked[] = [];
let next = 0;

/** A look takes some 10 ms where there are a thousand processes: at most a twentieth of our time goes into it. */
const REST = 19;

/** As above, for many at once and not at every moment: programs for single calls may end by the hundred in a second. */
export function findDescendants(family: Family, timers: Timers, tell: Asked['tell']): void {
  asked.push({ family, tell });
  if (asked.length > 1) return;
  const ms = next - performance.now();
  if (ms > 0) timers.after(ms, look);
  else timers.soon(look);
}

function look(): void {
  const from = performance.now();
  const now = asked.splice(0);
  const found = descendantsOf(now.map(({ family }) => family));
  const to = performance.now();
  next = to + (to - from) * REST;
  for (const [at, { tell }] of now.entries()) tell(found[at] ?? []);
}
