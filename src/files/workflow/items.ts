import { isObject, type Json, own } from '../../core/json.ts';
import { canBe, type Kinds, showKinds, withoutNull } from './kinds.ts';
import { branchesOf, kindsOfBranch, kindsOfShape, listOf, type Shape } from './shape.ts';

/** Lists in lists in lists: nobody means more. */
const DEEPEST = 4;

export type Unlike = { readonly given: string; readonly wanted: string };

/** In what the items of a list that is given are none of those that are wanted; null where they may be. */
export function unlikeItems(given: Shape, wanted: Shape, depth = 0): Unlike | null {
  if (depth >= DEEPEST || !isOnlyList(kindsOfShape(given))) return null;
  const [from, to] = [itemsShape(given), itemsShape(wanted)];
  if (from === null || to === null) return null;
  const [have, need] = [kindsOfShape(from), kindsOfShape(to)];
  const inner = canBe(have, need)
    ? unlikeItems(from, to, depth + 1)
    : { given: showKinds(have), wanted: showKinds(need) };
  if (inner === null) return null;
  return { given: `a list whose items are ${inner.given}`, wanted: `a list whose items are ${inner.wanted}` };
}

function isOnlyList(kinds: Kinds): boolean {
  const some = withoutNull(kinds);
  return some?.size === 1 && some.has('array');
}

/** What every item is; null where some way to fit leaves that open. */
function itemsShape(shape: Shape): Shape | null {
  const ways: Json[] = [];
  for (const branch of branchesOf(shape)) {
    const kinds = kindsOfBranch(branch);
    if (kinds !== null && !kinds.has('array')) continue;
    const items = branch.map((schema) => own(schema, 'items')).filter((one) => isObject(one));
    if (items.length === 0 || branch.some((schema) => listOf(schema, 'prefixItems').length > 0)) return null;
    ways.push({ allOf: items as Json[] });
  }
  return ways.length === 0 ? null : { root: shape.root, schema: { anyOf: ways } };
}
