const MAX_DEPTH = 4;
const MAX_MEMBERS = 32;
const MAX_KEY = 64;

/**
 * What a value looks like, without what it says: kinds and lengths, `{"query":"string(12)","tags":["string(3)","… 4
 * more"]}`. For logs of requests and answers.
 */
export function shapeOf(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return `string(${value.length})`;
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return shapeOfList(value, depth);
  return shapeOfObject(value, depth);
}

/** Lists are mostly of one kind: the first item stands for them all. */
function shapeOfList(list: readonly unknown[], depth: number): unknown {
  if (list.length === 0 || depth >= MAX_DEPTH) return `array(${list.length})`;
  const first = shapeOf(list[0], depth + 1);
  return list.length === 1 ? [first] : [first, `… ${list.length - 1} more`];
}

function shapeOfObject(object: object, depth: number): unknown {
  const keys = Object.keys(object);
  if (depth >= MAX_DEPTH) return `object(${keys.length})`;
  const shown = keys.slice(0, MAX_MEMBERS).map((key) => {
    const member: unknown = (object as Record<string, unknown>)[key];
    return [key.slice(0, MAX_KEY), shapeOf(member, depth + 1)] as const;
  });
  const more = keys.length > MAX_MEMBERS ? [['…', `${keys.length - MAX_MEMBERS} more`] as const] : [];
  return Object.fromEntries([...shown, ...more]);
}
