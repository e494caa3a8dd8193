import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Provider } from '../core/ports/provider.ts';
import { providerTypes } from '../dialects/registry.ts';
import type { ProviderSettings } from '../router/settings.ts';

type Given = { readonly type: string; readonly via?: Provider['via'] | undefined };

/** Whether calls of this type can be made by somebody else: what starts a program on this machine cannot. */
function mayLeave(type: string): boolean {
  return providerTypes.get(type)?.files_only === false;
}

/** Who makes the calls of a provider. */
export function viaOf({ dispatch }: Pick<Config, 'dispatch'>, { type, via }: Given): 'local' | 'bridge' {
  if (dispatch.type === 'local' || !mayLeave(type)) return 'local';
  return via ?? 'bridge';
}

/** Settings of a provider whose limits nobody gave: so many of its calls may be with the broker. */
export function windowed(
  config: Pick<Config, 'dispatch'>,
  given: Given,
  settings: ProviderSettings,
): ProviderSettings {
  if (viaOf(config, given) === 'local') return settings;
  return { ...settings, limits: { ...settings.limits, concurrency: config.dispatch.window } };
}

/** Throws GLZ1012 where a provider is to be called by bridges that only this machine can call. */
export function checkVia({ type, via }: Given): void {
  if (via !== 'bridge' || mayLeave(type)) return;
  const reason = `must be local: ${type} starts a program on the machine of the engine`;
  throw new GleitzeitError('GLZ1012', `via: ${reason}`, { field: '/via', reason, hint: 'leave it out' });
}
