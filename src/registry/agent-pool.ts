import type { AgentLimits, AgentPool } from '../core/agent.ts';
import { type Fields, given, nameTrouble, note, openFields, readNumber } from '../core/fields.ts';
import { kindOf } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import { isCountable, parseRate } from '../core/pool/bucket.ts';

export const agentPoolKeys = [
  'limits',
  'weight',
  'tier',
  'zone',
  'models',
] as const satisfies readonly (keyof AgentPool)[];

const MANY = 1_000_000;
const MOST_MODELS = 1000;

/** How its calls are held back and spread. What is left out, or null, stays out: the pools have their own defaults. */
export function readPool(fields: Fields): AgentPool {
  return {
    ...readLimits(fields),
    ...readCount(fields, 'weight', { min: 1, max: 1000 }),
    ...readCount(fields, 'tier', { min: 0, max: 100 }),
    ...readZone(fields),
    ...readModels(fields),
  };
}

function isLeftOut(fields: Fields, key: string): boolean {
  return (given(fields, key) ?? null) === null;
}

function readCount<Key extends string>(
  fields: Fields,
  key: Key,
  range: { readonly min: number; readonly max: number },
): { readonly [key in Key]?: number } {
  if (isLeftOut(fields, key)) return {};
  const count = readNumber(fields, key, { ...range, integer: true }, range.min);
  return { [key]: count } as { readonly [key in Key]: number };
}

function readLimits(fields: Fields): Pick<AgentPool, 'limits'> {
  if (isLeftOut(fields, 'limits')) return {};
  const at = child(fields.at, 'limits');
  const inner = openFields(given(fields, 'limits'), ['concurrency', 'rate', 'burst'], { ...fields, at });
  if (inner === undefined) return {};
  const many = { min: 1, max: MANY };
  const limits: AgentLimits = {
    ...readCount(inner, 'concurrency', many),
    ...readRate(inner),
    ...readCount(inner, 'burst', many),
  };
  if (limits.burst !== undefined && isLeftOut(inner, 'rate'))
    note(inner, 'burst', 'says nothing without a rate');
  return { limits };
}

function readRate(fields: Fields): Pick<AgentLimits, 'rate'> {
  if (isLeftOut(fields, 'rate')) return {};
  const rate = given(fields, 'rate');
  const read = typeof rate === 'string' ? parseRate(rate) : null;
  if (typeof rate !== 'string' || read === null)
    note(fields, 'rate', 'must be a rate such as 10/s, 600/min or 1000/h');
  else if (isCountable(read)) return { rate };
  else note(fields, 'rate', 'must be from 0.001/h to 1000000/s');
  return {};
}

function readZone(fields: Fields): Pick<AgentPool, 'zone'> {
  if (isLeftOut(fields, 'zone')) return {};
  const zone = given(fields, 'zone');
  const trouble = nameTrouble(zone);
  if (trouble !== undefined) note(fields, 'zone', trouble);
  return { zone: String(zone) };
}

function readModels(fields: Fields): Pick<AgentPool, 'models'> {
  if (isLeftOut(fields, 'models')) return {};
  const models = given(fields, 'models');
  if (!Array.isArray(models)) {
    note(fields, 'models', `must be a list, not ${kindOf(models)}`);
    return {};
  }
  if (models.length === 0 || models.length > MOST_MODELS)
    note(fields, 'models', `must name from 1 to ${MOST_MODELS} models`);
  for (const [index, model] of models.entries()) {
    const trouble = nameTrouble(model);
    if (trouble !== undefined) note({ ...fields, at: child(fields.at, 'models') }, String(index), trouble);
  }
  return { models: [...new Set(models.map(String))] };
}
