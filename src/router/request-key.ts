import { canonicalJson } from '../core/canonical.ts';
import { isObject, type Json, own } from '../core/json.ts';
import type { RouteRequest } from '../core/ports/router.ts';

/** Longer ones are cut: they are read by people, and kept with every task that waits. */
const LONGEST = 100;
const SHOWN = 60;

/** What a request has at `params.user` or `workflow_id`, as text; null where there is nothing. */
export function keyAt(
  path: string,
  { params, workflow_id, shown = (text) => text }: RouteRequest,
): string | null {
  if (path === 'workflow_id') return workflow_id;
  const [, ...steps] = path.split('.');
  let value: unknown = params;
  for (const step of steps) value = isObject(value) ? own(value, step) : undefined;
  if (value === undefined || value === null) return null;
  return shown(typeof value === 'string' ? value : canonicalJson(value as Json));
}

/** `user=7` for what stands at `params.user`. */
export function keyText(path: string, value: string): string {
  return `${path.replace(/^params\./, '')}=${value.length <= LONGEST ? value : shortened(value)}`;
}

/** With a number made of the whole, so that long ones that begin alike stay apart. */
function shortened(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `${text.slice(0, SHOWN)}…${text.length}-${(hash >>> 0).toString(16)}`;
}
