import { correlationId } from '../../core/attempt-name.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Arrivals } from '../../core/ports/dispatch.ts';
import type { Consumer, News } from '../broker.ts';
import { type AgentResult, readAgentResult } from '../messages/agent-result.ts';
import { readKept, readUpdates } from '../messages/news.ts';
import type { ExecutorParts } from './parts.ts';
import { WorkTaker } from './work.ts';

/** How long what was heard may take to be written down when the engine stops hearing. */
const STOP_MS = 10_000;

/** From now on tells what comes back of calls; returns the way to stop. */
export async function hear(parts: ExecutorParts, arrivals: Arrivals): Promise<() => Promise<void>> {
  const takers = [resultsFor(parts, arrivals), keptFor(parts, arrivals)];
  let news: Consumer | null = null;
  const stop = async () => {
    await Promise.all([...takers.map((taker) => taker.stop(STOP_MS)), news?.stop(STOP_MS)]);
  };
  try {
    // News first: what begins from now on is told of.
    news = await parts.broker.subscribe(parts.options.topics.updates, (pieces) => {
      for (const piece of pieces) tell(parts, arrivals, piece);
    });
    await Promise.all(takers.map((taker) => taker.start()));
    return stop;
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function resultsFor(parts: ExecutorParts, arrivals: Arrivals): WorkTaker<AgentResult> {
  const { cipher, logger, observer, options } = parts;
  return new WorkTaker(parts, {
    topic: options.topics.results,
    read: (bytes) => readAgentResult(bytes, cipher),
    take: async ({ arrived, correlation_id, task_id }, { place }) => {
      if (arrived === null) {
        observer.settled('foreign');
        logger.debug('a result answers nothing of ours', { task_id, correlation_id, place });
        return null;
      }
      observer.arrived('result');
      const recorded = await arrivals.ended(arrived);
      observer.settled(recorded ? 'recorded' : 'refused');
      logger.debug(recorded ? 'a result came back' : 'a result came late, or again', {
        ...{ task_id, correlation_id, provider: arrived.provider, protocol: arrived.called?.protocol },
        ...{ answer: arrived.answer.word, took_ms: arrived.took_ms },
      });
      return null;
    },
  });
}

function keptFor(parts: ExecutorParts, arrivals: Arrivals): WorkTaker<ReturnType<typeof readKept>> {
  const { logger, observer, options } = parts;
  return new WorkTaker(parts, {
    topic: options.topics.kept,
    read: readKept,
    take: async (kept) => {
      observer.arrived('kept');
      await arrivals.kept(kept);
      const { task_id, provider } = kept;
      logger.debug('a call kept something', { task_id, provider, correlation_id: correlationId(kept) });
      return null;
    },
  });
}

/** What cannot be read is lost like any other news. */
function tell({ name, logger, observer }: ExecutorParts, arrivals: Arrivals, { key, value }: News): void {
  if (key !== name) return;
  try {
    for (const one of readUpdates(value).news) {
      observer.arrived('news');
      arrivals.news(one);
    }
  } catch (thrown) {
    logger.warn('news of a bridge could not be read', { error: GleitzeitError.from(thrown).message });
  }
}
