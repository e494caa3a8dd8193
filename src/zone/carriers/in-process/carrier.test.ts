import { expect, it } from 'vitest';
import { inProcessCarrier } from './carrier.ts';

it.each(['gives up', 'is closed'])('an endpoint hears that whoever asked %s', async (how) => {
  const giving = new AbortController();
  const arrived = Promise.withResolvers<AbortSignal>();
  const carrier = inProcessCarrier({
    endpoint: (_, { signal = giving.signal } = {}) => {
      arrived.resolve(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('{}')));
    },
  });
  const sent = carrier.send('{}', { signal: giving.signal }).catch((error: unknown) => error);
  const signal = await arrived.promise;
  expect(signal.aborted).toBe(false);
  if (how === 'gives up') giving.abort();
  else await carrier.close();
  await sent;
  expect(signal.aborted).toBe(true);
});
