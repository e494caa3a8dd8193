import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { text } from './rows.ts';
import type { Session } from './session.ts';
import type { Statement } from './statement.ts';

const alive: Statement = {
  name: 'engines_alive',
  text: 'SELECT owner, alive_until FROM engine WHERE alive_until > now_ms() ORDER BY owner',
};
const LOOK_MS = 250;

/**
 * Resolves when no engine works on the store. One that was killed is waited for until it counts as gone; one that says
 * again that it is there is none that goes by itself.
 */
export async function untilNobodyWorks(
  session: Session,
  { timers, logger }: { readonly timers: Timers; readonly logger: Pick<Logger, 'warn'> },
): Promise<void> {
  const seen = new Map<string, number>();
  for (;;) {
    const rows = await session.rows(alive);
    if (rows.length === 0) return;
    if (seen.size === 0)
      logger.warn('a migration has to be alone: it waits until these engines are gone', {
        engines: rows.map(([name]) => text(name)).join(', '),
      });
    for (const [name, until] of rows) {
      const [owner, now] = [text(name), Number(until)];
      const before = seen.get(owner);
      if (before !== undefined && now > before) throw stillAtWork(rows.map(([one]) => text(one)));
      seen.set(owner, now);
    }
    await new Promise<void>((resolve) => timers.after(LOOK_MS, resolve));
  }
}

function stillAtWork(owners: readonly string[]): GleitzeitError {
  const message = `the tables cannot be brought up to date while earlier versions work on them: ${owners.join(', ')}`;
  return new GleitzeitError('GLZ3002', message, {
    reason: 'one of the migrations that are left has to be alone',
    hint: 'stop all engines and bridges of the earlier version, then start this one',
  });
}
