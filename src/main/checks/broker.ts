import type { Config } from '../../config.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { brokerPlace } from '../broker.ts';
import { brokerOverview } from '../broker-status.ts';
import { commandLogger } from '../log-lines.ts';
import { type Finding, findings } from './finding.ts';

const { ok, warning, problem } = findings('broker');

/** Whether calls could leave, and whether somebody makes them. */
export async function checkBroker(config: Config): Promise<Finding[]> {
  const { type } = config.dispatch;
  if (type === 'local') return [ok('none: engines make all calls themselves')];
  const place = `${type} at ${brokerPlace(config)}`;
  try {
    const quiet = () => {};
    const { topics, dead_letters } = await brokerOverview(config, commandLogger(config, quiet));
    const missing = topics.filter(({ lag }) => lag === null).map(({ topic }) => topic);
    const found = [
      missing.length === 0
        ? ok(`${place} answers: ${topics.map(({ topic, lag }) => `${topic} ${lag} behind`).join(', ')}`)
        : ok(`${place} answers; ${missing.join(', ')} come with the first engine or bridge`),
    ];
    if (dead_letters !== null && dead_letters > 0)
      found.push(
        warning(
          `${dead_letters} messages in ${config.dispatch.topics.dead_letters} that nobody could read`,
          'each says why, under reason',
        ),
      );
    return found;
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    return [problem(message, details.hint ?? null)];
  }
}
