import type { Config } from '../config.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { StoreReads } from '../core/ports/store.ts';
import { isSettled, taskStatuses } from '../core/task.ts';
import { systemClock } from '../embedded/system.ts';
import type { Route } from '../rpc/listener/route.ts';
import { hashText } from '../store/hash.ts';
import { agentcoreRoutes } from '../zone/carriers/agentcore/serve.ts';
import { httpsRoute } from '../zone/carriers/https/serve.ts';
import type { ServedEndpoint } from '../zone/carriers/serve.ts';
import { createEndpoint } from '../zone/execution/endpoint.ts';
import { Execution } from '../zone/execution/execution.ts';
import type { ExecutionSettings, Target } from '../zone/execution/settings.ts';
import { missingOf } from '../zone/execution/target.ts';
import type { House } from './house.ts';

/** The newest so many open tasks are looked at; behind so many of paused runs a container may go to sleep, and loses nothing. */
const LOOKED_AT = 100;
const openStatuses = taskStatuses.filter((status) => !isSettled(status));

export type Zone = {
  readonly routes: readonly Route[];
  /** For carriers that come by no listener. */
  readonly served: ServedEndpoint;
  /** Whoever waits for a result is answered with what there is. */
  stop(): void;
  /** Warns where its workflow is not defined by now. */
  tellOfMissing(): Promise<void>;
};

/** The execution zone over the house's engine, for the listener that is there anyway. Throws where secrets cannot be sealed. */
export function openZone(house: House): Zone | null {
  const { config, engine, store, definitions, cipher, logger } = house;
  const settings = settingsOf(config().zone);
  if (settings === null) return null;
  // Without a key no token could be kept, and the first request is a bad moment to find out.
  cipher.mark('zone');
  const { reads } = store;
  const execution = new Execution({
    ...{ engine, reads, definitions, settings, clock: steadyClock() },
    ...{ mark: (text: string) => cipher.mark(text), hash: hashText },
  });
  const ending = new AbortController();
  const endpoint = createEndpoint({ execution, logger, clock: systemClock });
  const served = { endpoint, stopping: ending.signal };
  return {
    routes: routesOf(house, served),
    served,
    stop: () => ending.abort(),
    tellOfMissing: () => tellOfMissing(house, settings.execute),
  };
}

/** As the store's: a jump of the wall clock neither ends a task nor forgets a result. */
function steadyClock(): Clock {
  const ahead = systemClock.wall() - systemClock.monotonic();
  return { wall: () => ahead + systemClock.monotonic(), monotonic: () => systemClock.monotonic() };
}

/** It may come while the server runs; until then every task is refused. */
async function tellOfMissing(house: House, execute: Target): Promise<void> {
  const missing = await missingOf(house, execute);
  if (missing === null) return;
  const { code, message, details } = missing;
  const { hint = 'workflow' in execute ? 'define it, or name its file under workflows' : undefined } =
    details;
  const until = 'until it is there every task is refused';
  const fields = { ...execute, error_code: code, error: message, hint, until };
  house.logger.warn('the zone has nothing to run', fields);
}

function routesOf({ config, store, logger }: House, served: ServedEndpoint): Route[] {
  const { path, agentcore } = config().zone;
  const direct = httpsRoute(served, path);
  if (agentcore === 'off') return [direct];
  if (config().store.type === 'sqlite')
    logger.warn('the zone has a store that no other container reaches', alone);
  const ping = {
    busy: () => isAnythingOpen(store.reads),
    now_s: () => Math.round(systemClock.wall() / 1000),
  };
  return [direct, ...agentcoreRoutes(served, { access: agentcore, ping })];
}

/** Each call has a session of its own there, and each session may have a container of its own. */
const alone = {
  field: 'store.type',
  reason:
    'AgentCore may ask another container for what this one accepted, and it would be an unknown task there',
  hint: 'use Postgres and one GLEITZEIT_SECRET_KEY for all of them',
};

/** A run that is paused waits for somebody, and so do its tasks. */
async function isAnythingOpen(reads: Pick<StoreReads, 'runs' | 'tasks'>): Promise<boolean> {
  const runs = await reads.runs({ status: ['running'], limit: 1 });
  if (runs.items.length > 0) return true;
  const tasks = await reads.tasks({ status: openStatuses, limit: LOOKED_AT });
  return tasks.items.some(({ workflow_id }) => workflow_id === null);
}

function settingsOf({ execute, budget, timeout, retention }: Config['zone']): ExecutionSettings | null {
  if (execute === undefined) return null;
  const times = { budget_ms: budget * 1000, timeout_ms: timeout * 1000, retention_ms: retention * 1000 };
  return { execute: targetOf(execute), ...times };
}

/** Which of them is there was checked with the configuration. */
function targetOf(execute: NonNullable<Config['zone']['execute']>): Target {
  const { workflow, version, reply, protocol, method, agent } = execute;
  if (workflow !== undefined) return { workflow, version, reply };
  if (agent !== undefined) return { agent };
  return { protocol: protocol ?? '', method: method ?? '' };
}
