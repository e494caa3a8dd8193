import { AGENT_METHOD, AGENT_PROTOCOL } from '../../core/agent.ts';
import { protocol } from '../typed.ts';

/** Always there: every agent of the registry is a provider of it, and tasks that name an agent call it. */
export const agent = protocol({
  name: AGENT_PROTOCOL,
  title: 'Agents by name',
  description:
    'Something said to one agent. Tasks say `agent:` and its name instead of naming this protocol.',
  methods: {
    [AGENT_METHOD]: {
      description:
        'Tells the agent something and waits for its answer. `text`, or else `query`, is what it is told; anything else ' +
        'is told as JSON.',
      params: { type: 'object' },
      returns: {
        type: 'object',
        description: 'what the agent answered; agents add what they like',
        properties: {
          text: { description: 'its answer in words' },
          artifacts: { description: 'what it made' },
          response: { description: 'the last it said in the conversation' },
          metadata: { description: 'what it tells of its work' },
          context_id: { description: 'names the conversation, for an agent that goes on with it' },
        },
        additionalProperties: true,
      },
      examples: [{ params: { text: 'Hello' }, result: { text: 'Hello to you' } }],
    },
  },
});
