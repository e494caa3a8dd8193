import type { Static, TSchema } from 'typebox';
import { Problems } from '../core/problems.ts';
import { didYouMean } from '../core/suggest.ts';
import { type Misfit, misfits } from './check-shape.ts';

/** Holds a provider's configuration against the schema of its type; throws GLZ1012 with everything that is wrong. */
export function checkConfig<Schema extends TSchema>(
  schema: Schema,
  config: unknown,
  at: string,
): Static<Schema> {
  const problems = new Problems();
  for (const misfit of misfits(schema, config)) {
    const field = at + misfit.field;
    problems.add('GLZ1012', { field, ...wordsFor(misfit) });
  }
  problems.throwIfAny();
  return config as Static<Schema>;
}

function wordsFor(misfit: Misfit): { readonly reason: string; readonly hint?: string } {
  if (misfit.is === 'wrong') return { reason: misfit.reason };
  if (misfit.is === 'missing') return { reason: 'is missing' };
  const { key, known } = misfit;
  const reason = `unknown key ${JSON.stringify(key)}`;
  // A map whose keys have to look a certain way knows none by name.
  return known.length === 0 ? { reason } : { reason, hint: didYouMean(key, known, 'known keys') };
}
