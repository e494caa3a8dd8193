const LEVELS = 4;
const MAX_MEMBERS = 32;
const MAX_KEY = 64;

/**
 * What a value looks like, without what it says: kinds and lengths, `{"query":"string(12)","tags":["string(3)","… 4
 * more"]}`. For logs of requests and answers. `levels` is how deep it looks.
 */
export function shapeOf(value: unknown, levels = LEVELS): unknown {
  if (typeof value === 'string') return `string(${value.length})`;
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return shapeOfList(value, levels);
  return shapeOfObject(value, levels);
}

/** Lists are mostly of one kind: the first item stands for them all. */
function shapeOfList(list: readonly unknown[], levels: number): unknown {
  if (list.length === 0 || levels <= 0) return `array(${list.length})`;
  const first = shapeOf(list[0], levels - 1);
  return list.length === 1 ? [first] : [first, `… ${list.length - 1} more`];
}

function shapeOfObject(object: object, levels: number): unknown {
  const keys = Object.keys(object);
  if (levels <= 0) return `object(${keys.length})`;
  const shown = keys.slice(0, MAX_MEMBERS).map((key) => {
    const member: unknown = (object as Record<string, unknown>)[key];
    return [key.slice(0, MAX_KEY), shapeOf(member, levels - 1)] as const;
  });
  const more = keys.length > MAX_MEMBERS ? [['…', `${keys.length - MAX_MEMBERS} more`] as const] : [];
  return Object.fromEntries([...shown, ...more]);
}
