import { type ErrorCode, errorCodes } from '../../core/error-codes.ts';
import { Type } from '../../type.ts';
import { anyJson, words } from './basic.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

export const errorShape = Type.Object(
  {
    code: Type.Integer({ description: 'the JSON-RPC code' }),
    message: Type.String(),
    data: Type.Object({
      error_code: Type.Unsafe<ErrorCode>({
        type: 'string',
        enum: codes,
        description: 'the code to compare with',
      }),
      field: Type.Optional(
        Type.String({
          description:
            'what is wrong: the name of a param, or a JSON pointer into it, such as `/task/params/query`',
        }),
      ),
      reason: Type.Optional(Type.String()),
      hint: Type.Optional(Type.String({ description: 'what to do about it' })),
      remote_code: Type.Optional(Type.Number({ description: 'the JSON-RPC code the service answered with' })),
      retry_after_ms: Type.Optional(Type.Number()),
      provider: Type.Optional(
        Type.String({ description: 'whom the attempt called that ended with this error' }),
      ),
      attempt: Type.Optional(Type.Integer({ description: 'which attempt of the task that was' })),
      fault: Type.Optional(
        words(['provider', 'method'], {
          description:
            '`provider`: it is not what it was taken for, or not well, such as one that refuses our credentials; ' +
            '`method`: it does not have the method. Left out where it is the call that was refused, or the class says enough',
        }),
      ),
      elsewhere: Type.Optional(
        Type.Literal(true, {
          description:
            'another provider could take the same call, and the task goes on there: at once where it is final with this one, ' +
            'and after its own back-off where this one asked to be left alone',
        }),
      ),
      also_failed: Type.Optional(
        Type.Array(Type.String(), {
          description: 'further providers that the same attempt called, and that failed too (`pool.hedge`)',
        }),
      ),
      details: Type.Optional(anyJson),
    }),
  },
  { title: 'Error', description: 'the one shape errors have in answers, tasks and events' },
);
