import { findCycle } from '../../core/graph.ts';
import { reservedIds } from '../../core/references.ts';
import { didYouMean } from '../../core/suggest.ts';
import { oneOf } from '../describe.ts';
import { type Finding, type Range, spanAt } from '../parsed.ts';
import { type Path, showPath } from '../path.ts';
import { NOTHING } from '../problems.ts';
import { positionAt } from '../source.ts';
import type { Draft } from './draft.ts';
import type { Member } from './members.ts';
import { headEnd } from './operand.ts';
import type { ReferenceText } from './texts.ts';

/** A task with the texts in it that refer to others. */
export type Linked = { readonly member: Member; readonly texts: readonly ReferenceText[] };

/** A place where one task names another. */
type Link = { readonly id: string; readonly at: Path; readonly range?: Range };

/** Ids that nobody can use or that stand twice. */
export function checkIds(members: readonly Member[], draft: Draft): void {
  const first = new Map<string, Member>();
  for (const member of members) {
    const { id, at, id_at } = member;
    if (id === null) {
      if (draft.isSound([...at, 'id']) && draft.isSound([...at, 'name'])) reportUnnamed(at, draft);
      continue;
    }
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, member);
    else draft.report(twice(id, id_at, earlier, draft));
    if (reservedIds.includes(id)) {
      const message = `"${id}" cannot be a task's id`;
      const hint = `reserved are: ${reservedIds.join(', ')}`;
      draft.report({
        path: id_at,
        part: 'value',
        message,
        found: JSON.stringify(id),
        expected: 'another id',
        hint,
      });
    }
  }
}

function reportUnnamed(at: Path, draft: Draft): void {
  const hint = 'inside a workflow a task needs an id or a name';
  const expected = 'an id or a name';
  draft.report({ path: [...at, 'id'], part: 'key', message: 'is missing', found: NOTHING, expected, hint });
}

function twice(id: string, path: Path, earlier: Member, { parsed }: Draft): Finding {
  const { line } = positionAt(parsed.source, spanAt(parsed.root, earlier.id_at, 'value').start);
  const message = `"${id}" is already the id of ${showPath(earlier.at)}`;
  const said = { message, found: JSON.stringify(id), expected: 'an id of its own' };
  return { path, part: 'value', ...said, hint: `it is on line ${line} already`, code: 'GLZ1002' };
}

/** Dependencies that lead nowhere, and tasks that wait for themselves or for each other. */
export function checkLinks(linked: readonly Linked[], draft: Draft): void {
  const ids = new Set(linked.flatMap(({ member }) => member.id ?? []));
  for (const { member } of linked) {
    for (const { id, at } of member.dependencies) {
      if (ids.has(id)) continue;
      const message = `there is no task "${id}" in this workflow`;
      const hint = didYouMean(id, [...ids], 'tasks');
      const found = JSON.stringify(id);
      const expected = oneOf([...ids]);
      draft.report({ path: at, part: 'value', message, found, expected, hint, code: 'GLZ1002' });
    }
  }
  for (const one of linked) {
    for (const link of linksOf(one)) {
      if (link.id !== one.member.id) continue;
      draft.report({ ...pointTo(link), message: `"${link.id}" cannot wait for its own result` });
    }
  }
  reportCircles(linked, draft);
}

function linksOf({ member, texts }: Linked): readonly Link[] {
  const references = texts.flatMap(({ at, text, parts }) =>
    parts.flatMap((part) => {
      if (typeof part === 'string') return [];
      return part.flatMap((use): Link[] => {
        if (use.kind !== 'task') return [];
        return [{ id: use.id, at, range: [use.operand.start, headEnd(text, use.operand)] }];
      });
    }),
  );
  return [...member.dependencies, ...references];
}

function pointTo({ at, range }: Link): Pick<Finding, 'path' | 'part' | 'range' | 'code'> {
  return { path: at, part: 'value', code: 'GLZ1002', ...(range === undefined ? {} : { range }) };
}

const CIRCLES_SHOWN = 5;
const IDS_SHOWN = 12;

/** Each at the place that closes it; looked for again as if that place were not there. */
function reportCircles(linked: readonly Linked[], draft: Draft): void {
  const links = new Map(linked.map((one) => [one.member.id ?? '', linksOf(one)]));
  const nodes = new Map([...links].map(([id, list]) => [id, list.map((link) => link.id)]));
  for (let shown = 0; shown < CIRCLES_SHOWN; shown++) {
    const circle = findCycle([...nodes].map(([id, dependencies]) => ({ id, dependencies })));
    const [first = ''] = circle ?? [];
    const last = circle?.at(-2);
    if (circle === undefined || last === undefined) return;
    const closing = links.get(last)?.find((link) => link.id === first);
    const message = `tasks wait for each other in a circle: ${showCircle(circle)}`;
    if (closing !== undefined)
      draft.report({ ...pointTo(closing), message, hint: 'remove one of the dependencies' });
    nodes.set(
      last,
      (nodes.get(last) ?? []).filter((id) => id !== first),
    );
  }
}

function showCircle(ids: readonly string[]): string {
  if (ids.length <= IDS_SHOWN) return ids.join(' → ');
  return `${ids.slice(0, IDS_SHOWN - 1).join(' → ')} → (${ids.length - IDS_SHOWN} more) → ${ids.at(-1)}`;
}
