import { describe, expect, it } from 'vitest';
import { agentDefaults, agentProviderId, taskRetryOf } from './agent.ts';
import { defaultRetry } from './retry.ts';

describe('an agent', () => {
  it('is a provider of its own protocol, and of each that it implements', () => {
    expect(agentProviderId('Writer')).toBe('agent:Writer');
    expect(agentProviderId('Writer', 'agent/v1')).toBe('agent:Writer');
    expect(agentProviderId('Writer', 'web-search/v1')).toBe('agent:Writer@web-search/v1');
  });

  it('counts retries where a task counts attempts, and in milliseconds where a task has seconds', () => {
    expect(taskRetryOf(agentDefaults)).toEqual({
      ...defaultRetry,
      max_attempts: 4,
      initial_delay: 1,
      max_delay: 30,
      multiplier: 2,
    });
  });
});
