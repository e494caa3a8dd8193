import { cardRules } from './rules/card.ts';
import { httpRules } from './rules/http.ts';
import { rpcRules } from './rules/rpc.ts';
import { simpleRules } from './rules/simple.ts';
import { streamRules } from './rules/stream.ts';
import { taskRules } from './rules/task.ts';

export type { Level } from './rules/rule.ts';

/** Everything that is looked at. */
export const rules = {
  ...httpRules,
  ...cardRules,
  ...rpcRules,
  ...taskRules,
  ...streamRules,
  ...simpleRules,
};

export type Rule = keyof typeof rules;
