import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { Schemas, SecretFields } from '../../core/ports/schemas.ts';

const NONE: SecretFields = { params: [], result: [] };

type Method = { readonly secrets?: SecretFields; readonly result?: (result: Json) => boolean };

/**
 * Judgement by a table: `echo` takes and gives anything, `login` has secrets on both sides, `strict` must answer with
 * `{ok: true}`, and a param called `count` must be a number wherever it is.
 */
const methods: Readonly<Record<string, Method>> = {
  echo: {},
  login: { secrets: { params: ['/password', '/keys/*'], result: ['/token'] } },
  strict: { result: (result) => isObject(result) && result['ok'] === true },
};

export const testSchemas: Schemas = {
  has: (protocol) => protocol.startsWith('test/'),
  checkParams({ protocol, method, params, stage }) {
    if (!testSchemas.has(protocol)) throw new GleitzeitError('GLZ1003', `no protocol ${protocol}`);
    if (methods[method] === undefined) throw new GleitzeitError('GLZ1004', `no method ${method}`);
    const count = params['count'];
    const open = stage === 'template' && typeof count === 'string' && count.includes('${');
    if (count !== undefined && typeof count !== 'number' && !open) {
      const reason = `must be a number, not ${JSON.stringify(count)}`;
      throw new GleitzeitError('GLZ1005', `/params/count: ${reason}`, { field: '/params/count', reason });
    }
    return params;
  },
  checkResult({ method, result }) {
    if (methods[method]?.result?.(result) === false) {
      throw new GleitzeitError('GLZ2005', `/result: not as ${method} promises`, { field: '/result' });
    }
  },
  secrets: (_protocol, method) => methods[method]?.secrets ?? NONE,
};
