import type { Topic } from './broker.ts';

/** Where everything that passes between engines, bridges and others stands. */
export type Topics = {
  /** Calls that somebody is to make. */
  readonly tasks: string;
  /** How they ended. */
  readonly results: string;
  /** What running calls keep for the next attempt. */
  readonly kept: string;
  /** How calls are getting on. */
  readonly updates: string;
  /** Which calls nobody waits for any more. */
  readonly control: string;
  /** What could not be read. */
  readonly dead_letters: string;
  /** What becomes of the steps of runs, for anyone who looks on. */
  readonly monitoring: string;
  readonly execution_requests: string;
  readonly cancellation_requests: string;
};

/** The groups that take work: all engines are one, all bridges another. */
export type Groups = { readonly engines: string; readonly bridges: string };

/**
 * Under which name engines take work of a topic. Results are theirs by the name of the group; every other topic has a name
 * of its own, since on Kafka whoever divides the partitions of a group knows only the topics that it takes itself.
 */
export function engineGroup(
  topics: Pick<Topics, 'kept' | 'execution_requests' | 'cancellation_requests'>,
  { engines }: Groups,
  topic: string,
): string {
  if (topic === topics.kept) return `${engines}.kept`;
  if (topic === topics.execution_requests) return `${engines}.executions`;
  return topic === topics.cancellation_requests ? `${engines}.cancellations` : engines;
}

export const defaultTopics: Topics = {
  tasks: 'orchestrator.tasks.http',
  results: 'results.topic',
  kept: 'gleitzeit.dispatch.kept',
  updates: 'gleitzeit.dispatch.updates',
  control: 'gleitzeit.dispatch.control',
  dead_letters: 'gleitzeit.dispatch.dead-letters',
  monitoring: 'workflow.monitoring.updates',
  execution_requests: 'workflow.execution.requests',
  cancellation_requests: 'workflow.cancellation.requests',
};

export const defaultGroups: Groups = { engines: 'gleitzeit-engines', bridges: 'http-bridge' };

/** What it takes to have calls made: the same for engines and bridges, whichever comes first. */
export function dispatchTopics(topics: Topics, groups: Groups, partitions: number): Topic[] {
  const work = (name: string, ...takers: string[]): Topic => ({
    ...{ name, kind: 'work', groups: takers, partitions },
  });
  // One partition is enough for what everybody listens to, or hardly anybody ever reads.
  const news = (name: string): Topic => ({ name, kind: 'news', partitions: 1 });
  return [
    work(topics.tasks, groups.bridges),
    work(topics.results, groups.engines),
    work(topics.kept, engineGroup(topics, groups, topics.kept)),
    news(topics.updates),
    news(topics.control),
    { ...work(topics.dead_letters), partitions: 1 },
  ];
}

/** For engines that others may ask to run something. */
export function requestTopics(topics: Topics, groups: Groups, partitions: number): Topic[] {
  const { execution_requests, cancellation_requests } = topics;
  return [execution_requests, cancellation_requests].map((name) => ({
    ...{ name, kind: 'work', groups: [engineGroup(topics, groups, name)], partitions },
  }));
}

export function monitoringTopic({ monitoring }: Topics, partitions: number): Topic {
  return { name: monitoring, kind: 'work', groups: [], partitions };
}
