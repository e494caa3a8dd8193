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
  for (const key of secretKeys) requireSecret(at, key, draft);
  await checkReadable(gateway.tls, [...at, 'tls'], draft);
  await checkCarrierTls(gateway.carrier, [...at, 'carrier', 'tls'], draft);
  checkCredentials(gateway.carrier, [...at, 'carrier'], draft);
  return plainAddresses(gateway);
}

function requireSecret(at: readonly string[], key: string, draft: Draft): void {
  if (draft.isSecret([...at, key])) return;
  const hint = `write ${key}: \${secrets.${key}}, and where it comes from under secrets:`;
  draft.report({ path: [...at, key], part: 'value', message: 'must be a secret', hint });
}

/** With half a pair the vendor's client would look elsewhere, and sign as somebody else. */
function checkCredentials(carrier: Gateway['carrier'], at: string[], draft: Draft): void {
  if (carrier.type !== 'agentcore') return;
  const { access_key_id, secret_access_key, session_token } = carrier;
  const pair = { access_key_id, secret_access_key };
  const given = Object.entries({ ...pair, session_token }).filter(([, value]) => value !== undefined);
  const [first] = given;
  const missing = Object.entries(pair).filter(([, value]) => value === undefined);
  if (first !== undefined && missing.length > 0)
    draft.report({
      path: [...at, first[0]],
      part: 'value',
      message: 'access_key_id and secret_access_key belong together',
      hint: `add ${missing.map(([key]) => key).join(' and ')}`,
    });
  for (const [key] of given) if (key !== 'access_key_id') requireSecret(at, key, draft);
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
