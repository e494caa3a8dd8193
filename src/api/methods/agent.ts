import { agentDefaults } from '../../core/agent.ts';
import { Type } from '../../type.ts';
import { method, type Shape } from '../method.ts';
import {
  agent,
  agentFields,
  agentName,
  agentPing,
  agentVersion,
  discovered,
  pingTimeout,
} from '../shapes/agent.ts';
import { checkedAgent, checkText, checkTimeout } from '../shapes/agent-check.ts';
import { name, page, paging, params } from '../shapes/basic.ts';
import * as sample from './samples.ts';

const given = {
  name: 'Writer',
  url: 'http://writer:8001',
  protocol: 'jsonrpc-2.0',
  auth_config: { type: 'bearer' as const, token: 'a-token' },
};

const agentSample = {
  id: '01936a2e-7c4d-7000-8000-000000000001',
  name: 'Writer',
  url: 'http://writer:8001',
  description: null,
  protocol: 'jsonrpc-2.0',
  protocol_config: {},
  implements: [],
  auth_config: { type: 'bearer', token: '***' },
  timeout: agentDefaults.timeout,
  retry_config: agentDefaults.retry_config,
  circuit_breaker_config: agentDefaults.circuit_breaker_config,
  source: 'api',
  version: 1,
  created_at: sample.at,
  updated_at: sample.at,
  provider: 'agent:Writer',
  problem: null,
} satisfies Shape<typeof agent>;

/** The registry says what is wrong with an entry, all of it at once, and never shows a secret. */
const judged = ['*', ...Object.keys(agentFields)];

export const agentMethods = {
  'agent.create': method({
    summary: 'Registers an agent that tasks can name',
    description:
      'It is kept, and every engine on the same store can call it at once. Its address is trusted like one of the ' +
      'configuration, private or not.',
    role: 'admin',
    params: params({
      name: agentName,
      ...agentFields,
      url: Type.String({ description: 'where it is called' }),
    }),
    engine_judges: ['name', ...judged],
    result: agent,
    errors: ['GLZ1011', 'GLZ3010'],
    examples: [{ name: 'with a token', params: given, result: agentSample }],
  }),

  'agent.list': method({
    summary: 'Lists the agents, by name',
    role: 'viewer',
    params: params({ protocol: Type.Optional(name('only those that speak this dialect')), ...paging }),
    result: page(agent),
    errors: [],
    examples: [
      {
        name: 'of one dialect',
        params: { protocol: 'jsonrpc-2.0' },
        result: { items: [agentSample], next_cursor: null },
      },
    ],
  }),

  'agent.get': method({
    summary: 'Shows an agent',
    role: 'viewer',
    params: params({ name: agentName }),
    result: agent,
    errors: ['GLZ1010'],
    examples: [{ name: 'one', params: { name: 'Writer' }, result: agentSample }],
  }),

  'agent.update': method({
    summary: 'Changes an agent while work goes on',
    description:
      'What is given replaces what was said before, key by key; null stands for the default, and `***` for the secret that ' +
      'is there. Calls that run are finished as they began.',
    role: 'admin',
    params: params({ name: agentName, version: agentVersion, ...agentFields }),
    engine_judges: judged,
    result: agent,
    errors: ['GLZ1010', 'GLZ1011', 'GLZ1013', 'GLZ3010'],
    examples: [
      {
        name: 'to the other dialect',
        params: { name: 'Writer', protocol: 'simple-a2a' },
        result: { ...agentSample, protocol: 'simple-a2a', version: 2, updated_at: sample.later },
      },
    ],
  }),

  'agent.delete': method({
    summary: 'Removes an agent',
    description: 'Calls that run go on; tasks that name it wait until there is one of that name again.',
    role: 'admin',
    params: params({ name: agentName }),
    result: Type.Object({ name: Type.String(), deleted: Type.Boolean() }),
    errors: ['GLZ1010', 'GLZ1011'],
    examples: [{ name: 'one', params: { name: 'Writer' }, result: { name: 'Writer', deleted: true } }],
  }),

  'agent.ping': method({
    summary: 'Asks whether an agent is there',
    description:
      'By GET of its address, or of its card where it speaks A2A. No task is sent, and what it answers counts for no limit.',
    role: 'operator',
    params: params({ name: agentName, timeout_ms: pingTimeout }),
    result: agentPing,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'one that is there',
        params: { name: 'Writer' },
        result: {
          name: 'Writer',
          well: true,
          asked: 'GET /.well-known/agent-card.json',
          http_status: 200,
          ms: 3.2,
          error: null,
        },
      },
    ],
  }),

  'agent.check': method({
    summary: 'Talks to an agent as callers do, well and badly, and says what is not as it should be',
    description:
      'It is given some work, and shown the credentials of its entry. One that cannot be reached is told of in `problem`.',
    role: 'operator',
    params: params({ name: agentName, text: checkText, timeout_ms: checkTimeout }),
    result: checkedAgent,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'one that is right',
        params: { name: 'Writer' },
        result: {
          name: 'Writer',
          url: 'http://writer:8001/',
          well: true,
          speaks: ['a2a-0.3'],
          findings: [],
          problem: null,
        },
      },
    ],
  }),

  'agent.discover': method({
    summary: 'Looks for the card of an agent and says how it could be registered',
    role: 'admin',
    params: params({
      url: Type.String({ pattern: '^https?://', maxLength: 2048, description: 'where the agent is' }),
      timeout_ms: pingTimeout,
    }),
    result: discovered,
    errors: ['GLZ2002', 'GLZ2003', 'GLZ2010'],
    examples: [
      {
        name: 'one with a card',
        params: { url: 'http://writer:8001' },
        result: {
          found: true,
          card_url: 'http://writer:8001/.well-known/agent-card.json',
          entry: {
            name: 'Writer',
            url: 'http://writer:8001',
            description: 'Writes',
            protocol: 'jsonrpc-2.0',
          },
          skills: [{ id: 'write', name: 'Write', description: 'Writes a text' }],
          card: { name: 'Writer', version: '1.0.0' },
        },
      },
    ],
  }),
};
