import { describe, expect, it, vi } from 'vitest';
import type { DocumentRow } from '../../core/changes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Documents } from '../../registry/documents.ts';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import { systemTimers } from '../../rpc/testing/timers.suite.ts';
import type { Fact } from '../manager/facts.ts';
import { Journal, journalLines, type NewEntry } from './journal.ts';
import { verify } from './verify.ts';

/** Documents in memory, which fail as the test says: before they are written, or just after. */
class Shelf {
  readonly rows = new Map<string, DocumentRow>();
  trouble: 'before' | 'after' | null = null;
  puts = 0;
  /** So many reads fail. */
  unreadable = 0;

  readonly documents: Documents = {
    reads: {
      document: async (_, key) => {
        if (this.unreadable === 0) return this.rows.get(key) ?? null;
        this.unreadable--;
        throw new GleitzeitError('GLZ3001', 'away');
      },
      documents: async (_, { prefix = '' }) => {
        const items = [...this.rows.values()].filter(({ key }) => key.startsWith(prefix));
        return { items, next_cursor: null };
      },
    },
    put: async ({ collection, key, text }) => {
      this.puts++;
      const { trouble } = this;
      this.trouble = null;
      if (trouble === 'before') throw new GleitzeitError('GLZ3001', 'away');
      if (this.rows.has(key)) throw new GleitzeitError('GLZ1013', 'taken');
      this.rows.set(key, { collection, key, text, version: 1 });
      if (trouble === 'after') throw new GleitzeitError('GLZ3001', 'away');
      return { version: 1 };
    },
  };

  journal(): { journal: Journal; drawn: string[] } {
    const drawn: string[] = [];
    const parts = { documents: this.documents, league_id: 'L', timers: systemTimers, ...quiet };
    return { journal: new Journal({ ...parts, drawn: (lines) => void drawn.push(...lines) }), drawn };
  }

  async lines(): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of journalLines(this.documents, 'L')) lines.push(line);
    return lines;
  }
}

async function open(journal: Journal): Promise<void> {
  for await (const _ of journal.open());
}

const told = (id: string): NewEntry => {
  const fact: Fact = { fact: 'referee_back', id };
  return { kind: 'fact', fact };
};

describe('the journal', () => {
  it('writes what is told in one call by one commit, and what comes meanwhile by the next', async () => {
    const shelf = new Shelf();
    const { journal, drawn } = shelf.journal();
    await open(journal);
    await Promise.all(['a', 'b', 'c'].map((id) => journal.append([told(id), told(`${id}2`)])));
    expect(shelf.puts).toBe(1);
    await journal.append([told('d')]);
    expect(shelf.puts).toBe(2);
    expect(drawn).toEqual(await shelf.lines());
    expect(await verify(drawn)).toMatchObject({ intact: true, lines: 7 });
  });

  it('goes on from where an earlier one ended, in one chain', async () => {
    const shelf = new Shelf();
    for (const id of ['a', 'b', 'c']) {
      const { journal } = shelf.journal();
      await open(journal);
      await journal.append([told(id)]);
      journal.close();
    }
    expect(await verify(await shelf.lines())).toMatchObject({ intact: true, lines: 3 });
  });

  it.each(['before', 'after'] as const)(
    'writes once although the store failed %s it wrote',
    async (trouble) => {
      const shelf = new Shelf();
      const { journal } = shelf.journal();
      await open(journal);
      shelf.trouble = trouble;
      await journal.append([told('a')]);
      await journal.append([told('b')]);
      expect(await verify(await shelf.lines())).toMatchObject({ intact: true, lines: 2 });
    },
  );

  it('of two managers lets one go on', async () => {
    const shelf = new Shelf();
    const [one, other] = [shelf.journal().journal, shelf.journal().journal];
    await Promise.all([open(one), open(other)]);
    await one.append([told('a')]);
    await expect(other.append([told('b')])).rejects.toMatchObject({ code: 'GLZ1013' });
    expect(await other.lost).toMatchObject({ code: 'GLZ1013' });
    await expect(other.append([told('c')])).rejects.toMatchObject({ code: 'GLZ1013' });
    await one.append([told('d')]);
    expect(await verify(await shelf.lines())).toMatchObject({ intact: true, lines: 2 });
  });

  it('asks again whose page stands there while the store cannot say it', async () => {
    const shelf = new Shelf();
    const { journal } = shelf.journal();
    await open(journal);
    shelf.trouble = 'after';
    shelf.unreadable = 1;
    await journal.append([told('a')]);
    expect(shelf.unreadable).toBe(0);
    expect(await shelf.lines()).toHaveLength(1);
  });

  it('is not lost to anybody when it is closed, and refuses what waits', async () => {
    const shelf = new Shelf();
    const { journal } = shelf.journal();
    await open(journal);
    const lost = vi.fn();
    void journal.lost.then(lost);
    shelf.trouble = 'before';
    const first = journal.append([told('a')]);
    const kept = expect(first).rejects.toMatchObject({ code: 'GLZ9002' });
    await Promise.resolve();
    const second = expect(journal.append([told('b')])).rejects.toMatchObject({ code: 'GLZ9002' });
    journal.close();
    await Promise.all([kept, second]);
    expect(lost).not.toHaveBeenCalled();
  });

  it('keeps tokens beside the lines, never in them', async () => {
    const shelf = new Shelf();
    const { journal } = shelf.journal();
    await open(journal);
    await journal.append([{ ...told('a'), token: { sealed: 'sealed text', hash: 'hash text' } }]);
    expect((await shelf.lines()).join()).not.toContain('text');
    expect([...shelf.rows.values()][0]?.text).toContain('sealed text');
  });
});
