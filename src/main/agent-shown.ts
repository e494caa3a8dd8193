import type { AgentSettings } from '../core/agent.ts';
import { isObject, type Json } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import { Problems } from '../core/problems.ts';
import { looksSecret } from '../files/secret-words.ts';

/** Everything of an entry is shown to everybody but what it has under `auth_config` and as headers: no secret may stand elsewhere. */
export function refuseShownSecrets({ url, protocol_config, auth_config }: AgentSettings): void {
  const problems = new Problems();
  const { headers: _, ...config } = protocol_config;
  const token_url =
    auth_config.type === 'oauth2' ? { auth_config: { token_url: auth_config['token_url'] } } : {};
  const shown = { url, ...token_url, protocol_config: config } as Json;
  for (const { at, key, value, sent } of textsIn(shown, '', '', false)) {
    const found = secretIn(value, sent ? key : '');
    if (found !== null) problems.add('GLZ1012', { field: at, ...found });
  }
  problems.throwIfAny();
}

type Text = { readonly at: string; readonly key: string; readonly value: string; readonly sent: boolean };

/** `sent`: as a header or a word of the query, by its key. */
function textsIn(value: Json, at: string, key: string, sent: boolean): Text[] {
  if (typeof value === 'string') return [{ at, key, value, sent }];
  if (Array.isArray(value))
    return value.flatMap((item: Json, index) => textsIn(item, child(at, String(index)), key, sent));
  if (!isObject(value)) return [];
  const inner = key === 'headers' || key === 'query';
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, child(at, name), name, inner));
}

function secretIn(text: string, key: string): { readonly reason: string; readonly hint: string } | null {
  // What is filled in comes from somewhere else, which is looked after there.
  if (looksSecret(key) && text !== '' && !text.includes('${'))
    return {
      reason: 'is a secret by its name, and is shown to everybody',
      hint: 'say it in auth_config, or in protocol_config.headers',
    };
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (address === null) return null;
  if (address.password !== '')
    return { reason: 'names a password, and is shown to everybody', hint: 'say it in auth_config' };
  const word = [...address.searchParams].find(([name, value]) => looksSecret(name) && value !== '')?.[0];
  if (word === undefined) return null;
  return {
    reason: `has a secret in its query, ${JSON.stringify(word)}, and is shown to everybody`,
    hint: `say it in auth_config: {type: api_key, query: ${word}, value: …}`,
  };
}
