import type { RouteRequest } from '../core/ports/router.ts';
import type { Member } from './member.ts';

type Asked = { readonly asked: readonly string[]; readonly now: number };

/** Who else could take the call. */
export function othersFor(
  members: readonly Member[],
  { method, params }: Pick<RouteRequest, 'method' | 'params'>,
  { asked, now }: Asked,
): readonly Member[] {
  return members.filter(
    (member) =>
      !asked.includes(member.connection.id) &&
      member.isAble(method, params) &&
      !member.lacking.has(method, now),
  );
}

/** Whether a task that has failed can be sent elsewhere: to whoever gets calls now, and has not failed it. */
export function isThereAnother(
  members: readonly Member[],
  request: RouteRequest,
  { asked, now }: Asked,
): boolean {
  if (request.only !== undefined || members.length < 2) return false;
  const tried = [...asked, ...request.avoid];
  return othersFor(members, request, { asked: tried, now }).some(({ isAtRest }) => !isAtRest);
}

/** As long as with the quickest of them: one that does not answer has no usual time of its own. */
export function usualMs(members: readonly Member[], method: string): number | null {
  const known = members.flatMap(({ times }) => times.usual(method) ?? []);
  return known.length === 0 ? null : Math.min(...known);
}
