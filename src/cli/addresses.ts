import { GleitzeitError } from '../core/errors.ts';
import { maskPasswords } from '../files/secret-words.ts';

/** A server as `--server` names it: `http://127.0.0.1:8000`, or without the http. */
export function serverUrl(named: string): string {
  // By itself `localhost:8000` would be a path in the scheme `localhost`.
  const written = named.includes('://') ? named : `http://${named}`;
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new GleitzeitError('GLZ1012', `"${shownUrl(named)}" is no address of a server`, {
      field: 'server',
      hint: 'write it as http://127.0.0.1:8000',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new GleitzeitError('GLZ1012', 'the address of a server carries neither a name nor a password', {
      field: 'server',
      hint: 'a key is given by GLEITZEIT_KEY or --key-file',
    });
  }
  return url.href.replace(/\/$/, '');
}

/** As somebody else may see it. */
export function shownUrl(named: string): string {
  return named.includes('://')
    ? maskPasswords(named)
    : maskPasswords(`http://${named}`).slice('http://'.length);
}
