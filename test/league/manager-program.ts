import { systemClock, systemTimers } from '../../src/embedded/system.ts';
import { defaultManagerOptions, type LeagueEngine } from '../../src/league/manager/parts.ts';
import { defaultTimeouts } from '../../src/league/protocol/timeout-policy.ts';
import { openManagerHouse } from '../../src/main/league/manager-house.ts';
import { defaultListenerLimits } from '../../src/rpc/listener/limits.ts';
import { createListener } from '../../src/rpc/listener/listener.ts';
import { lineLogger } from '../../src/telemetry/logger.ts';

/** A manager as a process of its own, which may be told to die at a moment of its own life. */
export type ProgramOptions = {
  readonly folder: string;
  readonly port: number;
  readonly admin_token: string;
  readonly seed: string;
  readonly die?: Moment;
};

/** With the `nth` page of the log that tells `fact`: before it is written, or just after. */
export type Moment = { readonly fact: string; readonly nth: number; readonly when: 'before' | 'after' };

function dying(moment: Moment | undefined) {
  let seen = 0;
  return (engine: LeagueEngine): LeagueEngine => ({
    submitWorkflow: (...given) => engine.submitWorkflow(...given),
    runResult: (...given) => engine.runResult(...given),
    responses: engine.responses,
    putDocument: async (document) => {
      const meant = moment !== undefined && document.text.includes(`\\"fact\\":\\"${moment.fact}\\"`);
      if (meant) seen++;
      const now = meant && seen === moment.nth;
      if (now && moment.when === 'before') process.kill(process.pid, 'SIGKILL');
      const put = await engine.putDocument(document);
      if (now) process.kill(process.pid, 'SIGKILL');
      return put;
    },
  });
}

async function run({ folder, port, admin_token, seed, die }: ProgramOptions): Promise<void> {
  const logger = lineLogger(
    'debug',
    (line) => process.stderr.write(line),
    () => new Date(),
  );
  const { manager } = await openManagerHouse({
    store: { type: 'sqlite', path: `${folder}/store.db` },
    logger,
    league: {
      ...defaultManagerOptions,
      ...{ league_id: 'L1', game_type: 'even_odd', seed, admin_token, audit_path: `${folder}/audit.jsonl` },
      timeouts: { ...defaultTimeouts, initial_delay_ms: 50 },
      probe_ms: 200,
    },
    around: dying(die),
  });
  const listener = createListener({
    ...{ on: { host: '127.0.0.1', port }, limits: defaultListenerLimits, logger },
    ...{ allowed_hosts: [], allowed_origins: [], clock: systemClock, timers: systemTimers },
  });
  for (const route of manager.routes) listener.mount(route);
  const { port: bound } = await listener.start();
  process.stdout.write(`${bound}\n`);
}

await run(JSON.parse(process.argv[2] ?? '{}'));
