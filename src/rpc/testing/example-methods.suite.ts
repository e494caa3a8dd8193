import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { MethodHandler, MethodTable } from '../dispatch.ts';

/** The methods the specification's examples speak of, and a few that behave badly. */
export const exampleMethods: MethodTable<unknown> = new Map<string, MethodHandler<unknown>>([
  ['subtract', ({ params }) => subtract(params)],
  ['sum', ({ params }) => (Array.isArray(params) ? params.reduce((a, b) => a + b, 0) : 0)],
  ['get_data', async () => ['hello', 5]],
  ['update', () => 'heard'],
  ['notify_hello', () => 'heard'],
  ['notify_sum', () => 'heard'],
  ['echo', ({ params }) => params],
  ['own_keys', ({ params }) => Object.keys(params ?? {})],
  ['answers_nothing', () => undefined],
  [
    'needs_name',
    () => {
      throw new GleitzeitError('GLZ1005', 'name is missing', { field: 'name' });
    },
  ],
  [
    'breaks',
    () => {
      throw new Error('secret-4711');
    },
  ],
  ['breaks_later', () => Promise.reject(new Error('secret-4711'))],
  ['answers_a_bigint', () => 1n],
]);

function subtract(params: unknown): number {
  if (Array.isArray(params)) return Number(params[0]) - Number(params[1]);
  return isObject(params) ? Number(params['minuend']) - Number(params['subtrahend']) : Number.NaN;
}
