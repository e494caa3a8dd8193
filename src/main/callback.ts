import { GleitzeitError } from '../core/errors.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { CallbackUrl } from '../engine/outside.ts';
import { NOTIFY_PATH } from '../server/notify.ts';

/** Where services call back about a task. Without a key nobody could tell a service that was told so from anybody else. */
export function callbackUrls(public_url: string | undefined, cipher: Cipher): CallbackUrl | undefined {
  if (public_url === undefined) return undefined;
  requireKey(cipher);
  const base = public_url.replace(/\/+$/, '') + NOTIFY_PATH;
  return (task_id) => `${base}/${encodeURIComponent(task_id)}`;
}

function requireKey(cipher: Cipher): void {
  try {
    cipher.mark('');
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    throw new GleitzeitError('GLZ3010', 'server.public_url needs a key, which tokens are made with', {
      field: 'server.public_url',
      reason: message,
      ...(details.hint === undefined ? {} : { hint: details.hint }),
    });
  }
}

/** The names under which whoever calls back asks for this server. */
export function publicHosts(public_url: string | undefined): readonly string[] {
  return public_url === undefined ? [] : [new URL(public_url).hostname.replace(/^\[|\]$/g, '')];
}
