import { nearest } from '../core/suggest.ts';
import { maskFlow } from './mask-values.ts';

const words =
  /(?:^|[_\-.\s])(?:api[_-]?keys?|keys?|tokens?|secrets?|password|passwd|passphrase|pwd|pass|credentials?|authorization|auth|cookie|bearer|hash)$/i;
const joinedWords =
  /^(?:apikey|accesskey|privatekey|authtoken)$|(?:Key|Token|Secret|Password|Credentials?|Authorization|Cookie)s?$/;

/** Those that language models count. */
const counts = /^(?:max|min|num|n|total|prompt|completion|input|output|stop)[_-]?(?:[a-z]+[_-]?)?tokens?$/i;

/** Whether what stands under a key of this name is to be shown to nobody. */
export function looksSecret(key: string): boolean {
  return (words.test(key) || joinedWords.test(key)) && !counts.test(key);
}

/** What is written below these is somebody's to keep, whatever it is called there. */
const sections = ['secrets', 'headers'];

export function holdsSecrets(key: string): boolean {
  return key === 'env' || key === 'auth' || nearest(key, sections) !== undefined;
}

const pair = /(["']?)([\w.-]+)\1\s*[:=]\s*(\S.*)$/g;

/**
 * A short line of a file without what stands behind such a key; as long as before, so that a caret still points right.
 * A mapping behind such a key is gone through instead.
 */
export function maskLine(line: string): string {
  let shown = maskPasswords(line);
  for (let from = 0; ; ) {
    pair.lastIndex = from;
    const [, , key = '', value] = pair.exec(shown) ?? [];
    if (value === undefined) return shown;
    const at = shown.length - value.length;
    const nested = /^[[{]/.test(value);
    if (nested && holdsSecrets(key)) shown = shown.slice(0, at) + maskFlow(value);
    else if (isOpenly(key, value) && key !== 'env') return shown.slice(0, at) + stars(value);
    from = at;
  }
}

function isOpenly(key: string, value: string): boolean {
  return (looksSecret(key) && !/^\[?\{/.test(value)) || (holdsSecrets(key) && !/^[[{]/.test(value));
}

const userInfo = /(:\/\/[^\s:@/?#"']*:)([^\s"']+)(?=@)/g;

/** The same text without the passwords of addresses. */
export function maskPasswords(text: string): string {
  return text.replaceAll(userInfo, (_, before: string, password: string) => before + stars(password));
}

function stars(text: string): string {
  return text.replace(/\S/g, '*');
}
