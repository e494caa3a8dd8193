/** Seals texts so that the store holds no secret in the clear. Throws GLZ3010 for what cannot be opened. */
export interface Cipher {
  seal(text: string): string;
  open(sealed: string): string;
  /** Whether it was sealed by the key that new texts are sealed by. */
  isCurrent(sealed: string): boolean;
  /** The same text gives the same mark under the same key, and nobody without the key can make it. */
  mark(text: string): string;
}
