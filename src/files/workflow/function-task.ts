import {
  type FunctionTrouble,
  findFunction,
  functionKeys,
  isTrouble,
  paramsOf,
  readFunctionCall,
} from '../../core/function-call.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Path } from '../path.ts';
import type { Call, CallParts } from './call.ts';

/** What a task calls, and what is left of it to be read. */
export type ReadCall = {
  readonly call: Call | null;
  readonly rest: JsonObject;
  /** The arguments, where they stand elsewhere than params do. */
  readonly args?: { readonly value: JsonObject; readonly at: Path };
};

/** A task of an earlier generation that names a function, as what the configuration says the function is today. */
export function readFunction(raw: JsonObject, at: Path, { protocols, report, note }: CallParts): ReadCall {
  const rest = Object.fromEntries(Object.entries(raw).filter(([key]) => !functionKeys.includes(key)));
  const asked = readFunctionCall(raw);
  const refuse = ({ at: inside, reason: message, hint, code }: FunctionTrouble): ReadCall => {
    const part = message === 'is missing' || message.startsWith('stands beside') ? 'key' : 'value';
    report({ path: [...at, ...inside], part, message, hint, code });
    return { call: null, rest };
  };
  if (isTrouble(asked)) return refuse(asked);
  const mapping = findFunction(asked, protocols?.functions ?? {});
  if (isTrouble(mapping)) return refuse(mapping);
  const { protocol, method, params } = mapping;
  const path = [...at, ...asked.name_at];
  const message = `calls a function in the older way: ${method} of ${protocol}`;
  const hint = `write protocol: ${protocol}, method: ${method} and params`;
  note({ path, part: 'value', message, hint });
  const made = params === undefined ? {} : { paramsOf: (args: JsonObject) => paramsOf(mapping, args) };
  return {
    call: { protocol, method, protocol_at: path, method_at: path, ...made },
    rest,
    args: { value: asked.args, at: [...at, ...asked.args_at] },
  };
}

const argumentsOnly = ['args', 'arguments'];

/** What only functions have stands in a task that calls a method. */
export function refuseArguments(raw: JsonObject, at: Path, { report }: CallParts): void {
  for (const key of argumentsOnly.filter((one) => Object.hasOwn(raw, one)))
    report({
      path: [...at, key],
      part: 'key',
      message: `unknown key ${JSON.stringify(key)}`,
      hint: 'did you mean "params"?',
    });
}
