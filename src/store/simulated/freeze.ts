/**
 * What is stored can be changed by nobody, neither by who wrote it nor by who reads it. What is frozen already is
 * frozen all the way down, so a new version of a record costs only what is new in it.
 */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
