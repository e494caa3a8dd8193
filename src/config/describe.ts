import type { Json, JsonObject } from '../core/json.ts';
import { type Path, showPath } from '../files/path.ts';
import { looksSecret } from '../files/secret-words.ts';
import { leavesOf } from './leaves.ts';
import type { ProviderConfig } from './providers.ts';
import { HIDDEN } from './secret.ts';
import { plainSections } from './sources.ts';
import type { Config } from './types.ts';

/** One value of the configuration, as it may be shown. */
export type ConfigRow = { readonly path: string; readonly value: Json; readonly source: string };

/** Everything the configuration says and where it came from, without what is secret. */
export function describeConfig(config: Config): readonly ConfigRow[] {
  const secrets = secretTexts(config);
  const row = (path: Path, value: Json): ConfigRow => {
    const shown = showPath(path);
    return {
      path: shown,
      value: withoutSecrets(path, value, secrets),
      source: config.sources[shown] ?? 'default',
    };
  };
  return [
    ...leavesOf(plainSections(config)).map(({ path, value }) => row(path, value)),
    ...config.protocols.flatMap(({ name, inline, definition, providers }, index) => {
      const at = ['protocols', index];
      const source = config.sources[showPath(at)] ?? 'default';
      const { length } = Object.keys(definition.methods);
      const methods = length === 1 ? '1 method' : `${length} methods`;
      return [
        { path: showPath([...at, 'name']), value: name, source },
        { path: showPath([...at, 'methods']), value: methods, source: inline ? source : 'library' },
        ...leavesOf(providers.map(asWritten) as unknown as Json, [...at, 'providers']).map(
          ({ path, value }) => row(path, value),
        ),
      ];
    }),
    ...Object.entries(config.secrets).map(([name, { from }]) => ({
      path: showPath(['secrets', name]),
      value: HIDDEN,
      source: from,
    })),
  ];
}

/** Without what its type makes of it, which nobody wrote there. */
function asWritten({ over: _, ...provider }: ProviderConfig) {
  return provider;
}

/** Shorter ones would hide half of everything else. */
const SHORTEST = 4;

/** Every text of the configuration that is to be seen nowhere: for the log, which masks them wherever they stand. */
export function secretTexts(config: Config): readonly string[] {
  const texts = Object.values(config.secrets).map((secret) => secret.reveal());
  const shown = {
    ...plainSections(config),
    protocols: config.protocols.map(({ providers }) => ({ providers })),
  };
  for (const { path, value } of leavesOf(shown as unknown as JsonObject)) {
    if (typeof value !== 'string' || isReference(value)) continue;
    // `Bearer abc` is a secret because of its last word.
    if (isHidden(path, value)) texts.push(value, value.replace(/^.*\s/, ''));
    else texts.push(...passwordsIn(value));
  }
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST);
}

/** The path of a file is no secret; what is in it is, and may stand there by mistake. */
const keyFiles = [
  /^(?:server|dispatch|zone\.gateway(?:\.carrier)?)\.tls\.key$/,
  /^protocols\[\d+\]\.providers\[\d+\]\.config(?:\.kubernetes)?(?:\.auth)?\.tls\.key$/,
];

function isHidden(path: Path, value: Json): boolean {
  const key = path.findLast((step) => typeof step === 'string');
  if (key === undefined || !looksSecret(key)) return false;
  const shown = showPath(path);
  return !keyFiles.some((file) => file.test(shown)) || String(value).includes('-----BEGIN');
}

function withoutSecrets(path: Path, value: Json, secrets: readonly string[]): Json {
  const holdsNothing = value === '' || typeof value === 'object';
  if (isHidden(path, value) && !holdsNothing && !isReference(value)) return HIDDEN;
  if (typeof value !== 'string') return value;
  return secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), hidePasswords(value));
}

/** `Bearer ${secrets.name}` tells nothing. */
function isReference(value: Json): boolean {
  return typeof value === 'string' && /^(?:[A-Z][a-z]+ )?\$\{secrets\.[\w-]+\}$/.test(value);
}

const userInfo = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@\s]*?):([^@/?#\s]+)@/i;
const queryPair = /([?&])([^=&#]+)=([^&#]+)/g;

/** The password in an address, and what a query names like one. */
function hidePasswords(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(userInfo, `$1$2:${HIDDEN}@`)
    .replaceAll(queryPair, (whole, sign: string, key: string) =>
      looksSecret(key) ? `${sign}${key}=${HIDDEN}` : whole,
    );
}

function passwordsIn(text: string): string[] {
  const [, , user = '', password] = userInfo.exec(text) ?? [];
  const queried = [...text.matchAll(queryPair)].flatMap(([, , key = '', value = '']) =>
    looksSecret(key) ? [value] : [],
  );
  const written = [...(password === undefined ? [] : [password]), ...queried];
  const found = written.flatMap((one) => [one, decoded(one)]);
  return password === undefined ? found : [...found, basicCredential(user, password)];
}

/** What a channel makes of them for its header. */
function basicCredential(user: string, password: string): string {
  return Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
