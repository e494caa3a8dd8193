import { GleitzeitError } from '../../core/errors.ts';

/** Where the contents of messages lie that no broker takes: the store that engines and bridges share. */
export interface AsidePlace {
  /** Resolves when it is durable. */
  put(key: string, content: string): Promise<void>;
  /** Null where there is none of that name, or none any more. */
  get(key: string): Promise<string | null>;
  remove(key: string): Promise<void>;
}

/** The header of a message whose content lies aside, under this name. */
export const ASIDE = 'gleitzeit-aside';

/** Refuses what came without its content: whoever reads it has no store to fetch it from. */
export function requireWhole({ headers }: { readonly headers: Readonly<Record<string, string>> }): void {
  if (headers[ASIDE] === undefined) return;
  throw new GleitzeitError(
    'GLZ1007',
    'its content was too large for the broker and lies in the store of the engines',
    {
      hint: 'give this bridge the same store (GLEITZEIT_STORE_URL), or send less with one call',
    },
  );
}
