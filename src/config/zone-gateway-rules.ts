import type { Draft } from './draft.ts';
import { checkReadable } from './readable.ts';
import { isLoopback } from './rules.ts';
import type { CheckedConfig } from './schema.ts';

type Zone = CheckedConfig['zone'];
type Gateway = NonNullable<Zone['gateway']>;

const secretKeys = ['signing_secret', 'bot_token'] as const;

/** What a schema cannot say of the gateway; what is allowed and hardly meant comes back as warnings. */
export async function checkGateway({ gateway }: Zone, draft: Draft): Promise<string[]> {
  if (gateway === undefined) return [];
  const at = ['zone', 'gateway'];
  for (const key of secretKeys) {
    if (draft.isSecret([...at, key])) continue;
    const hint = `write ${key}: \${secrets.${key}}, and where it comes from under secrets:`;
    draft.report({ path: [...at, key], part: 'value', message: 'must be a secret', hint });
  }
  await checkReadable(gateway.tls, [...at, 'tls'], draft);
  await checkCarrierTls(gateway.carrier, [...at, 'carrier', 'tls'], draft);
  return plainAddresses(gateway);
}

async function checkCarrierTls(carrier: Gateway['carrier'], path: string[], draft: Draft): Promise<void> {
  if (!('tls' in carrier) || carrier.tls === undefined) return;
  const { cert, key, servername: _, ...rest } = carrier.tls;
  if ((cert === undefined) !== (key === undefined))
    draft.report({
      path,
      part: 'value',
      message: 'a certificate and its key come together',
      hint: cert === undefined ? 'add cert' : 'add key',
    });
  await checkReadable({ ...rest, cert, key }, path, draft);
}

/** The token goes to both. */
function plainAddresses({ carrier, chat }: Gateway): string[] {
  const addresses = { 'carrier.url': 'url' in carrier ? carrier.url : '', 'chat.url': chat.url };
  const plain = Object.entries(addresses).filter(([, address]) => {
    const url = URL.parse(address);
    return url !== null && /^(http|ws):$/.test(url.protocol) && !isLoopback(url.hostname);
  });
  return plain.map(
    ([key]) => `zone.gateway.${key} is on another machine and without TLS: the token travels readable`,
  );
}
