import type { Broker } from '../bridge/broker.ts';
import { BrokerDispatch } from '../bridge/executor/broker-dispatch.ts';
import { Monitoring } from '../bridge/executor/monitoring.ts';
import { type ExecutorObserver, noExecutorObserver } from '../bridge/executor/observer.ts';
import type { ExecutorParts } from '../bridge/executor/parts.ts';
import { Requests } from '../bridge/executor/requests.ts';
import { readLag } from '../bridge/lag.ts';
import type { ExecutionRequest } from '../bridge/messages/requests.ts';
import { engineGroup } from '../bridge/topics.ts';
import type { Config } from '../config.ts';
import { type Functions, renewWorkflow } from '../core/function-call.ts';
import type { JsonObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store, StoreReads } from '../core/ports/store.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { Engine } from '../engine/engine.ts';
import { readWorkflow } from '../files/workflow/read.ts';
import type { Definitions } from '../registry/definitions.ts';
import type { SharedState } from '../router/shared-state.ts';
import type { BrokerLook } from '../telemetry/metrics.ts';
import { sweepAside, withAside } from './aside.ts';
import { openBroker } from './broker.ts';
import type { Opened } from './opened.ts';

/** Work of each kind that an engine holds at the same time. */
const MOST_UNACKNOWLEDGED = 2000;
/** What was published last is waited for at least so long. */
const LEAST_CLOSE_MS = 1000;

/** The engine's side of a broker. */
export type Executor = {
  readonly dispatch: BrokerDispatch;
  readonly look: BrokerLook;
  readonly parts: ExecutorParts;
};

export type OpenExecutorParts = {
  readonly config: Config;
  readonly logger: Logger;
  readonly opened: Opened;
  readonly name: string;
  readonly cipher: Cipher;
  /** Asked for with each event: who counts may come later. */
  readonly observer: () => ExecutorObserver | undefined;
  /** Instead of the one that the configuration names. */
  readonly broker?: Broker | undefined;
  /** Null where bridges cannot have the same. */
  readonly store: Pick<Store, 'commit' | 'reads'> | null;
};

/** Null where the engine makes all calls itself. Waits for no broker: calls wait for it. */
export async function openExecutor(parts: OpenExecutorParts): Promise<Executor | null> {
  const { config, logger, opened, name, cipher, store } = parts;
  const { type, topics, partitions, wait } = config.dispatch;
  if (parts.broker === undefined && type === 'local') return null;
  const bare = parts.broker ?? (await openBroker(config, logger));
  const broker = store === null ? bare : withAside(bare, store, logger);
  if (store !== null) sweepAside(config, store, { logger, opened });
  const { engine_group: engines, consumer_group: bridges } = config.dispatch;
  const groups = { engines, bridges };
  const most_unacknowledged = MOST_UNACKNOWLEDGED;
  const executor: ExecutorParts = {
    ...{ name, broker, cipher, clock: systemClock, timers: systemTimers, logger },
    observer: asked(parts.observer),
    options: { topics, groups, partitions, wait_ms: wait * 1000, most_unacknowledged },
  };
  const dispatch = new BrokerDispatch(executor);
  opened.add(async (deadline_ms) => {
    dispatch.close();
    await broker.close(Math.max(LEAST_CLOSE_MS, deadline_ms));
  });
  const lag = async () =>
    Object.fromEntries(
      await Promise.all(
        [topics.results, topics.kept].map(async (topic) => [
          topic,
          await readLag(broker, { group: engineGroup(topics, groups, topic), topic }),
        ]),
      ),
    );
  const look = {
    get up() {
      return broker.state === 'up';
    },
    lag,
  };
  return { dispatch, look, parts: executor };
}

function asked(observer: OpenExecutorParts['observer']): ExecutorObserver {
  const now = () => observer() ?? noExecutorObserver;
  return {
    published: (provider) => now().published(provider),
    waited: () => now().waited(),
    arrived: (kind) => now().arrived(kind),
    settled: (outcome) => now().settled(outcome),
    deadLetter: (topic, error_code) => now().deadLetter(topic, error_code),
    monitored: (count) => now().monitored(count),
  };
}

export type ServeOthersParts = {
  readonly config: () => Config;
  readonly opened: Opened;
  readonly engine: Engine;
  readonly reads: StoreReads;
  readonly definitions: Pick<Definitions, 'find'>;
  readonly state: SharedState;
};

/** What the engine does for others over the broker, besides calls. */
export function serveOthers({ parts: executor }: Executor, parts: ServeOthersParts): void {
  const { config, opened, engine, reads, definitions, state } = parts;
  const { requests, monitoring } = config().dispatch;
  if (requests) {
    const heard = new Requests(executor, {
      run: async (request) => {
        const workflow = await planned(request, definitions, config().functions);
        return engine.submitWorkflow(workflow, { input: request.input_data });
      },
      cancel: async ({ run_id, reason }) => void (await engine.cancelRun(run_id, reason)),
    });
    heard.start();
    opened.add((deadline_ms) => heard.stop(deadline_ms));
  }
  if (monitoring) {
    const told = new Monitoring({ ...executor, reads, state });
    told.start();
    opened.add(() => told.stop());
  }
}

/** A workflow as files have it, or one that was defined, as the run that is asked for. */
async function planned(
  { run_id, workflow_plan }: ExecutionRequest,
  definitions: Pick<Definitions, 'find'>,
  functions: Functions,
): Promise<JsonObject> {
  if (typeof workflow_plan === 'string')
    return { ...(await definitions.find(workflow_plan)), workflow_id: run_id };
  const today = JSON.stringify(renewWorkflow(workflow_plan, functions));
  return { ...readWorkflow(today, { file: 'workflow_plan' }).workflow, workflow_id: run_id };
}
