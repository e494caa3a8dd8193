import type { DocumentName } from '../changes.ts';
import { GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';

export function putDocument(ledger: Ledger, write: WriteOf<'put_document'>): AnswerTo<'put_document'> {
  const { collection, key, text } = write;
  const version = requireVersion(ledger, write, write.expect) + 1;
  ledger.putDocument({ collection, key, text, version });
  return { version };
}

export function deleteDocument(
  ledger: Ledger,
  write: WriteOf<'delete_document'>,
): AnswerTo<'delete_document'> {
  const version = requireVersion(ledger, write, write.expect);
  if (version > 0) ledger.removeDocument({ collection: write.collection, key: write.key });
  return { deleted: version > 0 };
}

function requireVersion(ledger: Ledger, name: DocumentName, expect: number | null): number {
  const version = ledger.document(name)?.version ?? 0;
  if (expect === null || expect === version) return version;
  throw new GleitzeitError(
    'GLZ1013',
    `${name.collection}/${name.key} is at version ${version}, not ${expect}`,
    {
      field: 'expect',
      reason: 'someone else changed it in the meantime',
      hint: 'read it again and repeat the change',
    },
  );
}
