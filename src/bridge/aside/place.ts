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

/** What is known of it without its content, in a header and not in its place: nobody is to take it for the whole. */
export const STUB = 'gleitzeit-stub';

type Headed = { readonly headers: Readonly<Record<string, string>> };

/** Why a message cannot be read that came without its content; null where it is whole. */
export function withoutContent({ headers }: Headed): GleitzeitError | null {
  if (headers[ASIDE] === undefined) return null;
  return new GleitzeitError(
    'GLZ1007',
    'its content was too large for the broker and lies in the store of the engines',
    {
      hint: 'give this bridge the same store (GLEITZEIT_STORE_URL), or send less with one call',
    },
  );
}
