import { noSuchTopic } from '../errors.ts';
import type { Connection } from './connection.ts';
import { listOf, pairsOf } from './entries.ts';

type Progress = {
  readonly name: string;
  readonly last: string;
  readonly pending: number;
  readonly lag: number | undefined;
};

async function groupsOf(connection: Connection, stream: string): Promise<Progress[]> {
  const groups = await connection.ask('XINFO', 'GROUPS', stream);
  return listOf(groups).map((group) => {
    const pairs = pairsOf(group);
    const lag = pairs.get('lag');
    return {
      name: String(pairs.get('name')),
      last: String(pairs.get('last-delivered-id')),
      pending: Number(pairs.get('pending')),
      lag: typeof lag === 'number' ? lag : undefined,
    };
  });
}

/** Removes what every group has acknowledged. */
export async function trim(connection: Connection, stream: string): Promise<void> {
  const groups = await groupsOf(connection, stream);
  if (groups.length === 0) return;
  const needed = await Promise.all(groups.map((group) => firstNeeded(connection, stream, group)));
  await connection.ask(
    'XTRIM',
    stream,
    'MINID',
    needed.reduce((first, id) => (before(id, first) ? id : first)),
  );
}

async function firstNeeded(
  connection: Connection,
  stream: string,
  { name, last, pending }: Progress,
): Promise<string> {
  if (pending === 0) return last;
  const summary = listOf(await connection.ask('XPENDING', stream, name));
  // Acknowledged since: what was delivered last is a safe bound.
  return Buffer.isBuffer(summary[1]) ? summary[1].toString() : last;
}

function before(one: string, other: string): boolean {
  const [[time = 0n, number = 0n], [otherTime = 0n, otherNumber = 0n]] = [one, other].map((id) =>
    id.split('-').map(BigInt),
  ) as [bigint[], bigint[]];
  return time === otherTime ? number < otherNumber : time < otherTime;
}

const PAGE = 1000;

/** What a group has not acknowledged yet: everything, where it was never there. */
export async function lagOf(connection: Connection, stream: string, group: string): Promise<number> {
  const groups = await groupsOf(connection, stream).catch((error: unknown) => {
    if (error instanceof Error && /no such key/.test(error.message)) throw noSuchTopic(stream, error);
    throw error;
  });
  const found = groups.find(({ name }) => name === group);
  if (found === undefined) return Number(await connection.ask('XLEN', stream));
  return found.pending + (found.lag ?? (await countAfter(connection, stream, found.last)));
}

/** Counted one by one: after some commands of operators the server does not know. */
async function countAfter(connection: Connection, stream: string, id: string): Promise<number> {
  let [count, after] = [0, id];
  for (;;) {
    const page = listOf(await connection.ask('XRANGE', stream, `(${after}`, '+', 'COUNT', PAGE));
    count += page.length;
    if (page.length < PAGE) return count;
    after = String(listOf(page.at(-1))[0]);
  }
}
