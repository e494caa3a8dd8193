import type { ResultOf } from '../../api/methods.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { HealthStatus } from '../../router/health.ts';
import type { LastError } from '../../router/last-error.ts';
import type { ProviderStatus } from '../../router/status.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { timeText } from '../views.ts';

export function providerHandlers({ router }: ControlParts): Handlers<Family<'provider'>> {
  const find = (id: string) => router.status(id) ?? refuse(id, router);
  const stateOf = (id: string) => {
    const { state, in_flight } = find(id);
    return { id, state, in_flight };
  };
  return {
    'provider.list': ({ protocol }) => {
      const asked = router
        .providers()
        .filter((found) => protocol === undefined || found.protocol === protocol);
      return { items: asked.map(viewProvider), next_cursor: null };
    },

    'provider.status': ({ id }) => viewProvider(find(id)),

    'provider.drain': async ({ id }) => ((await router.drain(id)) ? stateOf(id) : refuse(id, router)),

    'provider.resume': async ({ id }) => ((await router.resume(id)) ? stateOf(id) : refuse(id, router)),

    'provider.test': async ({ id, ...question }) => {
      const told = (await router.test(id, question)) ?? refuse(id, router);
      return { id, ...told, error: viewError(told.error) };
    },
  };
}

function refuse(id: string, router: ControlParts['router']): never {
  const known = router.providers().map((provider) => provider.id);
  throw new GleitzeitError('GLZ1010', `there is no provider ${id}`, {
    field: 'id',
    reason: `nothing is connected under "${id}"`,
    hint: didYouMean(id, known, 'connected'),
  });
}

function viewProvider({ since, last_error, ...status }: ProviderStatus): ResultOf<'provider.status'> {
  return {
    ...status,
    since: timeText(since),
    last_error: viewError(last_error),
    breakers: status.breakers.map((breaker) => ({ ...breaker, next_probe: timeOrNull(breaker.next_probe) })),
    health: viewHealth(status.health),
    next_probe: timeOrNull(status.next_probe),
    paused_until: timeOrNull(status.paused_until),
  };
}

function viewHealth(health: HealthStatus | null): ResultOf<'provider.status'>['health'] {
  if (health === null) return null;
  const { misses, last_error, next_probe } = health;
  return { misses, last_error: viewError(last_error), next_probe: timeText(next_probe) };
}

function viewError(error: LastError | null): ResultOf<'provider.status'>['last_error'] {
  return error === null ? null : { ...error, at: timeText(error.at) };
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : timeText(time);
}
