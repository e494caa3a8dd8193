import type { Functions } from '../core/function-call.ts';
import type { JsonObject } from '../core/json.ts';
import { wholeMethods } from '../core/lineage.ts';
import type { ProtocolDefinition } from '../core/protocol.ts';
import { didYouMean } from '../core/suggest.ts';
import type { Checking } from '../files/check.ts';
import { Type } from '../type.ts';
import type { Later } from './environment.ts';
import type { Uses } from './secret-uses.ts';
import { item, text } from './words.ts';

/** What the functions of earlier generations are today. */
export const functionsSchema = Type.Record(
  Type.String({ pattern: '\\S' }),
  item('what a function is today', {
    protocol: text('the protocol'),
    method: text('its method'),
    params: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description:
          'its params, `${args.name}` standing for an argument; what names one that was not given is left out. Without it the arguments are the params',
      }),
    ),
  }),
  {
    additionalProperties: false,
    default: {},
    description:
      'Functions that tasks of earlier generations call by name, and the methods that they are today.',
  },
);

const argument = /^\$\{args\.[A-Za-z_][A-Za-z0-9_]*\}$/;

/** Arguments are there when a task is submitted; nothing else is put into params. */
export function leaveArgument(
  { whole, escaped }: Later,
  path: readonly (string | number)[],
  uses: Uses,
): string {
  if (!escaped && !argument.test(whole)) {
    const message = `nothing fills in ${whole} here`;
    uses.report({ path, part: 'value', message, hint: 'write ${args.name} for an argument', words: whole });
  }
  return whole;
}

/**
 * What a schema cannot say of them. A protocol that is not in the file may have been registered: that is odd, and no
 * reason to stop.
 */
export function checkFunctions(
  functions: Functions,
  known: (name: string) => ProtocolDefinition | undefined,
  { report }: Checking,
): string[] {
  return Object.entries(functions).flatMap(([name, { protocol, method }]) => {
    const definition = known(protocol);
    if (definition === undefined)
      return [`functions.${name}: the configuration has no protocol "${protocol}"`];
    const methods = Object.keys(wholeMethods(definition, known));
    if (methods.includes(method)) return [];
    const message = `protocol "${protocol}" has no method "${method}"`;
    const hint = didYouMean(method, methods, 'its methods');
    report({ path: ['functions', name, 'method'], part: 'value', message, hint });
    return [];
  });
}
