import { Type } from '../../type.ts';
import { agentName } from './agent.ts';
import { nullable, words } from './basic.ts';

const text = Type.String();
const places = ['card', 'a2a-0.3', 'a2a-1.0', 'simple-a2a'] as const;

export const agentFinding = Type.Object(
  {
    rule: Type.String({ description: 'its name: `card-url`, `answer-id` …' }),
    level: words(['error', 'warning', 'note'], {
      description:
        'error: calls fail or give wrong results; warning: the protocol asks for it; note: worth knowing, nothing wrong',
    }),
    place: words(places, { description: 'where it was noticed' }),
    message: Type.String({ description: 'what is wrong' }),
    sent: text,
    came: text,
    expected: text,
    clause: Type.String({ description: 'where it is written that it should be so' }),
    hint: Type.String({ description: 'what to do about it' }),
  },
  { title: 'AgentFinding' },
);

export const checkedParts = {
  url: text,
  well: Type.Boolean({ description: 'it could be checked, and there is nothing but notes' }),
  speaks: Type.Array(words(places), { description: 'what it was found to speak' }),
  findings: Type.Array(agentFinding),
  problem: nullable(Type.String(), { description: 'why it could not be checked' }),
};

export const checkedAgent = Type.Object({ name: agentName, ...checkedParts }, { title: 'CheckedAgent' });

export const checkText = Type.Optional(
  Type.String({
    maxLength: 10_000,
    description:
      'what the agent is given to work on: three messages for each version of A2A, four of simple-a2a',
  }),
);

export const checkTimeout = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 60_000,
    description: 'milliseconds one answer may take; 10000 unless given',
  }),
);
