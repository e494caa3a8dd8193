import { type AgentAuth, type AuthType, authTypes } from '../core/agent.ts';
import { type Fields, given, note, openFields, readWord } from '../core/fields.ts';
import { isObject, type Json, kindOf } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';

/** Certificates are the longest that is sensible. */
const MAX_TEXT = 64 * 1024;

type AuthKeys = {
  readonly secret: readonly string[];
  readonly needed: readonly string[];
  readonly more: readonly string[];
};

const authKeys: Readonly<Record<AuthType, AuthKeys>> = {
  none: { secret: [], needed: [], more: [] },
  bearer: { secret: ['token'], needed: ['token'], more: [] },
  api_key: { secret: ['value'], needed: ['value'], more: ['header', 'query'] },
  basic: { secret: ['password'], needed: ['username', 'password'], more: [] },
  oauth2: {
    secret: ['client_secret'],
    needed: ['token_url', 'client_id', 'client_secret'],
    more: ['scope', 'audience', 'style'],
  },
  mtls: { secret: ['key'], needed: ['cert', 'key'], more: ['ca', 'servername'] },
};

/** Where texts of an entry are that nobody is shown, whatever they hold. */
export const secretPlaces = {
  auth: (auth: AgentAuth): readonly string[] => authKeys[auth.type].secret.map((key) => `/${key}`),
  config: ['/headers/*'] as readonly string[],
};

/** What is wrong with the value of a header, without showing it. */
export function headerTrouble(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be text, not ${kindOf(value)}`;
  return /[^\t\x20-\x7e\x80-\xff]/.test(value) ? 'holds characters that no header can carry' : undefined;
}

/** `auth_config` as somebody wrote it. What is wrong with a secret is said without showing it. */
export function readAuth(fields: Fields): AgentAuth {
  const none: AgentAuth = { type: 'none' };
  const value = given(fields, 'auth_config') ?? none;
  const at = child(fields.at, 'auth_config');
  if (!isObject(value)) {
    note(fields, 'auth_config', `must be an object, not ${kindOf(value)}`);
    return none;
  }
  const type = readWord({ ...fields, object: value, at }, 'type', authTypes, 'none');
  const { needed, more } = authKeys[type];
  const auth = openFields(value, ['type', ...needed, ...more], { ...fields, at });
  if (auth === undefined) return none;
  const texts: [string, Json][] = [];
  for (const key of [...needed, ...more]) {
    const text = given(auth, key);
    if (text === undefined && !needed.includes(key)) continue;
    if (text === undefined) note(auth, key, 'is missing');
    else if (typeof text !== 'string' || text === '') note(auth, key, `must be text, not ${kindOf(text)}`);
    else if (text.length > MAX_TEXT) note(auth, key, `must not be longer than ${MAX_TEXT} characters`);
    else if (key === 'token' && headerTrouble(text) !== undefined)
      note(auth, key, String(headerTrouble(text)));
    else texts.push([key, text]);
  }
  if (type === 'api_key' && given(auth, 'header') === undefined && given(auth, 'query') === undefined)
    note(
      auth,
      'header',
      'is missing',
      'the header that the key is sent in, or query for a word of the address',
    );
  return { type, ...Object.fromEntries(texts) } as AgentAuth;
}
