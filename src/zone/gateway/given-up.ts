import type { Event } from '../../core/events.ts';
import type { Logger } from '../../core/ports/logger.ts';

export type GivenUpParts = {
  /** Tasks of the gateway's engine that failed for good. */
  readonly failures: AsyncIterable<Event>;
  /** What a task is named and called by; rejects for one that cannot be read. */
  readonly task: (task_id: string) => Promise<{ readonly name: string; readonly method: string }>;
  readonly logger: Logger;
};

/** A line for each message that nothing comes of any more: the engine decides that, and says so in its events only. */
export async function tellOfGivenUp({ failures, task, logger }: GivenUpParts): Promise<void> {
  for await (const { event, task_id = '', workflow_id, data } of failures) {
    if (event !== 'task:failed') continue;
    const { name = null, method = null } = await task(task_id).catch(() => ({}) as Named);
    const { message: error } = data.error;
    const about = { correlation_id: name, workflow_id, task_id, attempt: data.attempt };
    const inside = { error_code: data.error.data.error_code, error };
    logger.error(method === 'ask' ? 'a question is given up' : 'a reply is given up', {
      ...about,
      ...inside,
    });
  }
}

type Named = { readonly name?: string; readonly method?: string };
