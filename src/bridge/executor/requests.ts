import { GleitzeitError } from '../../core/errors.ts';
import {
  type CancellationRequest,
  type ExecutionRequest,
  readCancellationRequest,
  readExecutionRequest,
} from '../messages/requests.ts';
import { requestTopics } from '../topics.ts';
import type { ExecutorParts } from './parts.ts';
import { Patience } from './patience.ts';
import { WorkTaker } from './work.ts';

/** How what others ask for is done. Both throw errors of the class `invalid` where it never can be. */
export type Served = {
  /** Asked for twice it runs once. */
  readonly run: (request: ExecutionRequest) => Promise<{ readonly created: boolean }>;
  readonly cancel: (request: CancellationRequest) => Promise<void>;
};

/** Requests stand on topics of their own: what is to be cancelled may come after its cancellation. */
const MOST_TRIES = 10;

/** Runs, and ends, what others ask for over the broker. */
export class Requests {
  readonly #parts: ExecutorParts;
  readonly #takers: readonly Pick<WorkTaker<unknown>, 'start' | 'stop'>[];
  readonly #patience: Patience;

  constructor(parts: ExecutorParts, served: Served) {
    this.#parts = parts;
    this.#takers = [executions(parts, served), cancellations(parts, served)];
    this.#patience = new Patience(parts, 'requests of others cannot be heard; it is tried again');
  }

  /** Goes on until the broker is there. */
  start(): void {
    const { broker, options } = this.#parts;
    this.#patience.until(async () => {
      await broker.ensure(requestTopics(options.topics, options.groups, options.partitions));
      for (const taker of this.#takers) await taker.start();
    });
  }

  async stop(deadline_ms: number): Promise<void> {
    await this.#patience.end();
    await Promise.all(this.#takers.map((taker) => taker.stop(deadline_ms)));
  }
}

function executions(parts: ExecutorParts, { run }: Served): WorkTaker<ExecutionRequest> {
  const { logger, observer, options } = parts;
  return new WorkTaker(parts, {
    topic: options.topics.execution_requests,
    read: readExecutionRequest,
    take: async (request) => {
      observer.arrived('execution_request');
      const { run_id, correlation_id } = request;
      try {
        const { created } = await run(request);
        logger.info('a workflow runs that was asked for over the broker', {
          run_id,
          correlation_id,
          created,
        });
        return null;
      } catch (thrown) {
        return refusal(thrown);
      }
    },
  });
}

function cancellations(parts: ExecutorParts, { cancel }: Served): WorkTaker<CancellationRequest> {
  const { logger, observer, options } = parts;
  return new WorkTaker(parts, {
    topic: options.topics.cancellation_requests,
    read: readCancellationRequest,
    take: async (request, _, tries) => {
      if (tries === 1) observer.arrived('cancellation_request');
      const { run_id, requested_by, reason } = request;
      try {
        await cancel(request);
        logger.info('a run was cancelled over the broker', { run_id, requested_by, reason });
        return null;
      } catch (thrown) {
        const error = GleitzeitError.from(thrown);
        if (error.code === 'GLZ1010' && tries < MOST_TRIES) throw error;
        // It has ended by itself, or somebody else was quicker.
        if (error.code !== 'GLZ1011') return refusal(error);
        logger.debug('a run that was to be cancelled has ended', { run_id, requested_by });
        return null;
      }
    },
  });
}

/** What is wrong with the request itself is an answer; everything else may pass. */
function refusal(thrown: unknown): GleitzeitError {
  const error = GleitzeitError.from(thrown);
  if (error.class !== 'invalid') throw error;
  return error;
}
