import { GleitzeitError } from '../../core/errors.ts';
import type { Credentials, Shown } from '../../rpc/credentials.ts';
import { type Filled, filled } from '../filled.ts';
import type { ProviderParts } from '../provider-type.ts';
import { Remembered } from '../remembered.ts';
import type { AuthConfig } from './config.ts';
import { openTokens } from './tokens.ts';

/** What a configuration says a service is to be shown; null for nothing. Nothing is asked for yet. */
export function openCredentials(
  auth: AuthConfig | undefined,
  parts: ProviderParts,
  at: string,
): Credentials | null {
  if (auth === undefined) return null;
  if (auth.type === 'oauth2') return openTokens(auth, parts, at);
  const { type, ...texts } = auth;
  return fixedCredentials(filled(texts, parts.secrets, at), proofs[type](at));
}

type Texts = Readonly<Record<string, string>>;
type Proof = (texts: Texts, told: Remembered) => Shown;

const proofs: Readonly<Record<'api_key' | 'bearer' | 'basic', (at: string) => Proof>> = {
  api_key:
    (at) =>
    ({ header, query = '', value = '' }, told) =>
      header === undefined
        ? { headers: {}, query: `${encodeURIComponent(query)}=${inAddress(value, `${at}/value`)}` }
        : { headers: { [header.toLowerCase()]: inHeader(value, `${at}/value`, told) }, query: '' },
  bearer:
    (at) =>
    ({ token = '' }, told) => {
      const sent = inHeader(token, `${at}/token`, told);
      return { headers: { authorization: `Bearer ${sent}` }, query: '' };
    },
  basic:
    (at) =>
    ({ username = '', password = '' }, told) => {
      if (username.includes(':')) throw unusable(`${at}/username`, 'holds a colon, which would end it');
      const pair = Buffer.from(`${username}:${password}`).toString('base64');
      told.add(pair);
      return { headers: { authorization: `Basic ${pair}` }, query: '' };
    },
};

/** Made anew with every call, so that a secret changed meanwhile is the one that is shown. */
function fixedCredentials(texts: Filled, proof: Proof): Credentials {
  const told = new Remembered();
  return {
    show: () => proof(texts.fill(), told),
    refused: () => false,
    values: () => [...texts.values(), ...told.values()],
    close: async () => {},
  };
}

/** A line break in a secret would be one in the headers; what carries them would refuse it in words of its own. */
function inHeader(value: string, field: string, told: Remembered): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw unusable(field, 'holds characters that no header can carry, such as line breaks');
  // Spaces around it do not arrive, and are missing where the service repeats it.
  const sent = value.trim();
  if (sent !== value) told.add(sent);
  return sent;
}

/** Encoded as those who look for secrets in errors expect it. */
function inAddress(value: string, field: string): string {
  if (value.isWellFormed()) return encodeURIComponent(value);
  throw unusable(field, 'holds characters that no address can carry');
}

function unusable(field: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ3010', `the secret for ${field.slice(1).replaceAll('/', '.')} ${reason}`, {
    field,
    hint: 'look at where the secret comes from: a file may hold more than one line',
  });
}
