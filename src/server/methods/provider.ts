import type { ResultOf } from '../../api/methods.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { ProviderStatus } from '../../router/connection.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { timeText } from '../views.ts';

export function providerHandlers({ router }: ControlParts): Handlers<Family<'provider'>> {
  return {
    'provider.list': ({ protocol }) => {
      const asked = router
        .providers()
        .filter((found) => protocol === undefined || found.protocol === protocol);
      return { items: asked.map(viewProvider), next_cursor: null };
    },

    'provider.status': ({ id }) => {
      const found = router.status(id);
      if (found !== null) return viewProvider(found);
      const known = router.providers().map((provider) => provider.id);
      throw new GleitzeitError('GLZ1010', `there is no provider ${id}`, {
        field: 'id',
        reason: `nothing is connected under "${id}"`,
        hint: didYouMean(id, known, 'connected'),
      });
    },
  };
}

function viewProvider({ since, last_error, ...status }: ProviderStatus): ResultOf<'provider.status'> {
  const shown = last_error === null ? null : { ...last_error, at: timeText(last_error.at) };
  return { ...status, since: timeText(since), last_error: shown };
}
