import { hash } from 'node:crypto';

/** Names a payload by its content. */
export function hashText(text: string): string {
  return hash('sha256', text, 'base64url');
}
