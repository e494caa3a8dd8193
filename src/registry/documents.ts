import type { DocumentName, DocumentRow } from '../core/changes.ts';
import type { StoreReads } from '../core/ports/store.ts';

/** Where registries keep what they know: the documents of the store. */
export type Documents = {
  readonly reads: Pick<StoreReads, 'document' | 'documents'>;
  /** Rejects with GLZ1013 where the document is not at the version it is expected to have; 0 for none, null for any. */
  readonly put: (document: NewDocument) => Promise<{ readonly version: number }>;
};

export type NewDocument = DocumentName & { readonly text: string; readonly expect: number | null };

const PAGE = 200;

/** All documents of a collection whose keys begin with the prefix, in the order of their keys. */
export async function* everyDocument(
  { reads }: Pick<Documents, 'reads'>,
  collection: string,
  prefix?: string,
): AsyncGenerator<DocumentRow> {
  const within = prefix === undefined ? {} : { prefix };
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await reads.documents(collection, { limit: PAGE, ...within, ...from });
    yield* page.items;
    cursor = page.next_cursor;
  }
}
