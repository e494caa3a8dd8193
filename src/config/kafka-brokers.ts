import { isObject, type Json, own } from '../core/json.ts';
import { type Environment, variableOf } from './environment.ts';
import type { Override } from './override.ts';

const NAME = 'KAFKA_BROKERS';

/** What KAFKA_BROKERS sets: where the brokers are, and that there are some where nothing else says so. */
export function kafkaBrokers(
  env: Environment,
  file: Json,
): { readonly overrides: readonly Override[]; readonly warnings: readonly string[] } {
  const words = (variableOf(env, NAME) ?? '').split(',').map((one) => one.trim());
  const brokers = words.filter((one) => one !== '');
  if (brokers.length === 0) return { overrides: [], warnings: [] };
  const section = isObject(file) ? own(file, 'dispatch') : undefined;
  const written = isObject(section) ? own(section, 'type') : undefined;
  const given = variableOf(env, 'GLEITZEIT_DISPATCH_TYPE') || written;
  if (given !== undefined && given !== 'kafka') {
    const warning = `the environment variable ${NAME} is not used, since dispatch.type is ${String(given)}`;
    return { overrides: [], warnings: [warning] };
  }
  const type: Override = { name: NAME, path: ['dispatch', 'type'], value: 'kafka', parsed: null };
  const list: Override = { name: NAME, path: ['dispatch', 'brokers'], value: brokers, parsed: null };
  return { overrides: given === undefined ? [type, list] : [list], warnings: [] };
}
