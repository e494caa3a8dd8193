import { GleitzeitError } from '../../core/errors.ts';

/** Something wrong with a mapping, found when it is read: `field` is where in the configuration it stands. */
export function mistake(field: string, reason: string, hint?: string): GleitzeitError {
  const more = hint === undefined ? {} : { hint };
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason, ...more });
}
