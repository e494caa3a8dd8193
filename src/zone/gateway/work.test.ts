import { describe, expect, it } from 'vitest';
import { sentences } from '../verification/sentences.ts';
import type { Heard } from './slack/message.ts';
import { askAndPost, postOnly } from './work.ts';

const request = { channel: 'C1', text: 'hello', correlation_id: 'Ev1' };
const heard: Heard = { is: 'request', key: 'k', request, reply_to: { channel: 'C1' } };
const options = { deadline_ms: 600_000, post_within_ms: 3_600_000, sentences };

describe('the work for a message', () => {
  it('is asked for a minute longer than asking takes at most', () => {
    const [ask] = askAndPost(heard, 0, options).workflow.tasks;
    expect(ask).toMatchObject({ id: 'ask', timeout: 660, retry_config: { max_attempts: 1000 } });
  });

  it('is posted by whoever comes, however late: no budget of time ends it', () => {
    for (const work of [
      askAndPost(heard, 0, options),
      postOnly(heard, { text: 'no', known_at: 0 }, options),
    ]) {
      const post = work.workflow.tasks.at(-1);
      expect(post).toMatchObject({ id: 'post', timeout: 60 });
      expect(post?.retry_config).toEqual({ max_attempts: 1000, initial_delay: 1, max_delay: 60 });
    }
  });

  it('is tried often enough for as long as posting may take', () => {
    const week_ms = 604_800_000;
    const { retry_config } = postOnly(
      heard,
      { text: 'no', known_at: 0 },
      { ...options, post_within_ms: week_ms },
    ).workflow.tasks[0] ?? { retry_config: { max_attempts: 0, max_delay: 0 } };
    const { max_attempts, max_delay = 0 } = retry_config;
    // A delay is half as long where chance has it so.
    expect((max_attempts * max_delay * 1000) / 2).toBeGreaterThan(week_ms);
  });

  it('was known when it was asked for, or at the latest when asking had to end', () => {
    const [, post] = askAndPost(heard, 5, options).workflow.tasks;
    expect(post?.params).toMatchObject({ known_at: '${ask.result.at ?? 600005}' });
    const refused = postOnly(heard, { text: 'no', known_at: 7 }, options);
    expect(refused.workflow.tasks[0]?.params).toMatchObject({ known_at: 7, visible_to: 'asker' });
  });

  it('goes where the message came from, whatever that is called', () => {
    const odd = { ...heard, reply_to: { channel: '${secrets.bot}', thread_ts: '${ask.result.text}' } };
    const [, post] = askAndPost(odd, 0, options).workflow.tasks;
    expect(post?.params).toMatchObject({ channel: '$${secrets.bot}', thread_ts: '$${ask.result.text}' });
  });
});
