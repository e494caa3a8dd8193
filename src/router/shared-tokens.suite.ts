import { GleitzeitError } from '../core/errors.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { lineLogger } from '../telemetry/logger.ts';
import { type SharedState, SharedTokens } from './shared-tokens.ts';

export function sharedState() {
  const kept = new Map<string, { text: string; version: number }>();
  let away = false;
  let unclear = false;
  let writes = 0;
  const state: SharedState = {
    read: async (name) => {
      if (away) throw new GleitzeitError('GLZ3001', 'away');
      return kept.get(name) ?? null;
    },
    write: async (name, text, expect) => {
      if (away) throw new GleitzeitError('GLZ3001', 'away');
      const version = kept.get(name)?.version ?? 0;
      if (version !== expect) throw new GleitzeitError('GLZ1013', 'another version');
      writes++;
      kept.set(name, { text, version: version + 1 });
      if (unclear) throw new GleitzeitError('GLZ3001', 'gone before it answered');
      return { version: version + 1 };
    },
  };
  const setAway = (is: boolean) => (away = is);
  const setUnclear = (is: boolean) => (unclear = is);
  return { state, kept, writes: () => writes, setAway, setUnclear };
}

export const limit = { per_ms: 0.01, burst: 10 };

/** Somebody wants to begin, and does where one is here. */
export function begins(tokens: SharedTokens, now: number): boolean {
  tokens.want(now);
  if (tokens.free(now) <= 0) return false;
  tokens.take(now);
  return true;
}

export function setUp() {
  const time = new VirtualTime();
  const lines: string[] = [];
  const logger = lineLogger(
    'warn',
    (line) => lines.push(line),
    () => new Date(0),
  );
  const shared = sharedState();
  let told = 0;
  const open = (given = limit) =>
    new SharedTokens('provider one', given, {
      state: shared.state,
      clock: time,
      timers: time,
      logger,
      more: () => void told++,
    });
  const drain = async (tokens: SharedTokens, for_ms = 0, step = 10) => {
    let taken = 0;
    for (let passed = 0; passed <= for_ms; passed += step) {
      for (let turn = 0; turn < 20; turn++) {
        while (begins(tokens, time.monotonic())) taken++;
        await time.settle();
      }
      if (passed < for_ms) await time.advance(step);
    }
    return taken;
  };
  return { time, shared, open, drain, lines, told: () => told };
}
