import type { Draft } from './draft.ts';
import { checkReadable } from './readable.ts';
import type { CheckedConfig } from './schema.ts';

type Zone = CheckedConfig['zone'];

const secretKeys = ['signing_secret', 'bot_token'] as const;

/** What a schema cannot say of the gateway. */
export async function checkGateway({ gateway }: Zone, draft: Draft): Promise<void> {
  if (gateway === undefined) return;
  const at = ['zone', 'gateway'];
  for (const key of secretKeys) {
    if (draft.isSecret([...at, key])) continue;
    const hint = `write ${key}: \${secrets.${key}}, and where it comes from under secrets:`;
    draft.report({ path: [...at, key], part: 'value', message: 'must be a secret', hint });
  }
  await checkReadable(gateway.tls, [...at, 'tls'], draft);
  const { carrier } = gateway;
  if (!('tls' in carrier) || carrier.tls === undefined) return;
  const { cert, key, servername: _, ...rest } = carrier.tls;
  if ((cert === undefined) !== (key === undefined))
    draft.report({
      path: [...at, 'carrier', 'tls'],
      part: 'value',
      message: 'a certificate and its key come together',
      hint: cert === undefined ? 'add cert' : 'add key',
    });
  await checkReadable({ ...rest, cert, key }, [...at, 'carrier', 'tls'], draft);
}
