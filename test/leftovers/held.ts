import { createHook } from 'node:async_hooks';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process has open besides its own code. */
export type Held = {
  /** What keeps the loop of Node turning. */
  readonly resources: readonly string[];
  /** What its descriptors lead to. */
  readonly files: readonly string[];
  /** Processes it has started. */
  readonly children: readonly string[];
};

export type Leftovers = Held & {
  /** Where each timer that is still set was set, also those that keep nobody waiting. */
  readonly timers: readonly string[];
};

/** Node opens them once for its loop, with the first listener and the first watched file, and keeps them to its end. */
const ofTheLoop = ['/dev/null', 'anon_inode:inotify'];
/** The library of the metrics measures the loop from when it is first asked, and can only be asked to begin. */
const ofTheMetrics = '@prometheus-io/client';

const nothing: Held = { resources: [], files: [], children: [] };

/** What this process holds now, without what it held before. */
export function heldNow(before: Held = nothing): Held {
  const own = '/proc/self';
  return {
    resources: without(process.getActiveResourcesInfo(), before.resources),
    files: without(
      readdirSync(`${own}/fd`)
        .flatMap((name) => leadsTo(`${own}/fd/${name}`))
        .filter((place) => !ofTheLoop.includes(place)),
      before.files,
    ),
    children: without(
      readdirSync(`${own}/task`).flatMap((task) => childrenOf(`${own}/task/${task}/children`)),
      before.children,
    ),
  };
}

function leadsTo(link: string): string[] {
  try {
    return [readlinkSync(link)];
  } catch {
    // The one the folder was read with.
    return [];
  }
}

function childrenOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(' ').filter(Boolean);
  } catch {
    // The thread has ended meanwhile.
    return [];
  }
}

function without(now: readonly string[], before: readonly string[]): string[] {
  const left = [...before];
  return now.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** From now on; returns the way to ask where those were set that are still waiting. */
export function watchTimers(): () => string[] {
  const set = new Map<number, string>();
  createHook({
    init: (id, type) => {
      if (type === 'Timeout') set.set(id, placeOf(new Error('here').stack ?? ''));
    },
    destroy: (id) => void set.delete(id),
  }).enable();
  return () => [...set.values()].filter((place) => !place.includes(ofTheMetrics));
}

/** The first lines of a stack that are not Node's own. */
function placeOf(stack: string): string {
  const lines = stack.split('\n').slice(2);
  return lines
    .filter((line) => !line.includes('node:'))
    .slice(0, 4)
    .map((line) => line.trim())
    .join(' < ');
}
