import { GleitzeitError } from '../core/errors.ts';
import { didYouMean } from '../core/suggest.ts';
import { requireText } from '../engine/check-options.ts';
import type { ProviderStatus } from '../router/status.ts';

/** Providers as their pools know them. */
export type ProviderControl = {
  status(id: string): ProviderStatus | null;
  ids(): readonly string[];
  drain(id: string): Promise<void>;
  resume(id: string): Promise<void>;
};

/** The control of a provider that there is, and how it does. */
export function controlOf(
  control: ProviderControl | undefined,
  id: unknown,
): { readonly control: ProviderControl; readonly status: ProviderStatus } {
  const name = requireText('id', id);
  if (control === undefined) throw withoutPools();
  const status = control.status(name);
  if (status !== null) return { control, status };
  const reason = `there is no provider "${name}"`;
  throw new GleitzeitError('GLZ1010', reason, {
    field: 'id',
    reason,
    hint: didYouMean(name, control.ids(), 'providers'),
  });
}

function withoutPools(): GleitzeitError {
  return new GleitzeitError('GLZ1011', 'the providers of this Gleitzeit are taken in turn, not in pools', {
    hint: 'give createGleitzeit something of pools, such as pool: {} beside a protocol',
  });
}
