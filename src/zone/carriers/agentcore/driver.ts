import { CarrierError } from '../../carrier.ts';

/** The vendor's client: loaded with the first request, and no part of an installation that does without. */
export async function loadAgentCore() {
  try {
    return await import('@aws-sdk/client-bedrock-agentcore');
  } catch (thrown) {
    const message =
      'agentcore: the package @aws-sdk/client-bedrock-agentcore cannot be loaded: install it beside gleitzeit';
    throw new CarrierError(message, { trouble: 'misconfigured', arrived: 'no' }, thrown);
  }
}

export type AgentCore = Awaited<ReturnType<typeof loadAgentCore>>;
