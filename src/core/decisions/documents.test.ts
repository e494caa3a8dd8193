import { describe, expect, it } from 'vitest';
import { Memory } from '../testing/memory.suite.ts';
import type { Verdict, WriteOf } from '../writes.ts';

function put(fields: Partial<WriteOf<'put_document'>> = {}): WriteOf<'put_document'> {
  return { kind: 'put_document', collection: 'agents', key: 'a', text: '{}', expect: null, ...fields };
}

function remove(expect: number | null, key = 'a'): WriteOf<'delete_document'> {
  return { kind: 'delete_document', collection: 'agents', key, expect };
}

function conflict(version: number, expected: number): Verdict {
  return {
    ok: false,
    error: {
      code: 1013,
      message: `agents/a is at version ${version}, not ${expected}`,
      data: {
        error_code: 'GLZ1013',
        field: 'expect',
        reason: 'someone else changed it in the meantime',
        hint: 'read it again and repeat the change',
      },
    },
  };
}

describe('documents', () => {
  it('count their versions from 1', () => {
    const memory = new Memory();
    expect(memory.write(put({ expect: 0 }))).toEqual({ version: 1 });
    expect(memory.write(put({ expect: 1, text: '[]' }))).toEqual({ version: 2 });
    expect(memory.write(put())).toEqual({ version: 3 });
    expect(memory.documents.get('agents/a')).toEqual({
      collection: 'agents',
      key: 'a',
      text: '{}',
      version: 3,
    });
  });

  it('are not overwritten by who saw another version', () => {
    const memory = new Memory();
    const { verdicts, changes } = memory.commit(put({ expect: 1 }));
    expect(verdicts).toEqual([conflict(0, 1)]);
    expect(changes.documents).toEqual([]);
    memory.write(put());
    expect(memory.commit(put({ expect: 0 })).verdicts).toEqual([conflict(1, 0)]);
    expect(memory.commit(put({ expect: 2 })).verdicts).toEqual([conflict(1, 2)]);
    expect(memory.commit(remove(2)).verdicts).toEqual([conflict(1, 2)]);
    expect(memory.documents.get('agents/a')?.version).toBe(1);
  });

  it('go, and start again from 1', () => {
    const memory = new Memory();
    expect(memory.write(remove(null))).toEqual({ deleted: false });
    memory.write(put());
    expect(memory.write(remove(1))).toEqual({ deleted: true });
    expect(memory.documents.size).toBe(0);
    expect(memory.write(put({ expect: 0 }))).toEqual({ version: 1 });
    expect(memory.write(remove(null))).toEqual({ deleted: true });
  });

  it('see the writes before them in the same commit', () => {
    const memory = new Memory();
    const { verdicts, changes } = memory.commit(
      put({ expect: 0 }),
      put({ expect: 1, text: '"second"' }),
      put({ key: 'b' }),
      remove(1, 'b'),
      remove(0, 'b'),
      remove(null, 'c'),
    );
    expect(verdicts.map((verdict) => (verdict.ok ? verdict.answer : verdict.error.message))).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 1 },
      { deleted: true },
      { deleted: false },
      { deleted: false },
    ]);
    expect(changes.documents).toEqual([{ collection: 'agents', key: 'a', text: '"second"', version: 2 }]);
    expect(changes.goneDocuments).toMatchObject([{ collection: 'agents', key: 'b' }]);
  });

  it('of other collections are others', () => {
    const memory = new Memory();
    memory.commit(
      put({ collection: 'a', key: 'b/c' }),
      put({ collection: 'a/b', key: 'c' }),
      put({ expect: 0 }),
    );
    expect(memory.write(put({ expect: 1 }))).toEqual({ version: 2 });
  });
});
