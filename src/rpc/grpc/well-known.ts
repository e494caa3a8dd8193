import type { Field, Type } from 'protobufjs';
import { isObject, type Json } from '../../core/json.ts';
import { entryOf } from './maps.ts';

/** Messages that JSON has a shape of its own for, as the JSON mapping of Protocol Buffers says. */
export type WellKnown = {
  /** Null where the value cannot be such a message. */
  from(value: Json, type: Type): object | null;
  to(message: object, type: Type): Json;
};

type Members = Readonly<Record<string, unknown>>;

/** Names differ by who wrote the type down; numbers do not. */
function field(type: Type, id: number): Field {
  const found = type.fieldsById[id];
  if (found === undefined) throw new RangeError(`${type.fullName} has no field ${id}`);
  return found.resolve();
}

function of(message: object, type: Type, id: number): unknown {
  const { name } = field(type, id);
  return Object.hasOwn(message, name) ? (message as Members)[name] : undefined;
}

function typeOf(one: Field): Type {
  return one.resolvedType as Type;
}

const NULL = 1;
const NUMBER = 2;
const STRING = 3;
const BOOL = 4;
const STRUCT = 5;
const LIST = 6;

const anyValue: WellKnown = {
  from: (value, type) => {
    const put = (id: number, content: unknown) => ({ [field(type, id).name]: content });
    if (value === null) return put(NULL, 0);
    if (typeof value === 'number') return put(NUMBER, value);
    if (typeof value === 'string') return put(STRING, value);
    if (typeof value === 'boolean') return put(BOOL, value);
    if (isObject(value)) return put(STRUCT, struct.from(value, typeOf(field(type, STRUCT))));
    return put(LIST, list.from(value, typeOf(field(type, LIST))));
  },
  to: (message, type) => {
    const [number, text, bool] = [NUMBER, STRING, BOOL].map((id) => of(message, type, id));
    if (typeof number === 'number') return Number.isFinite(number) ? number : String(number);
    if (typeof text === 'string') return text;
    if (typeof bool === 'boolean') return bool;
    const [members, items] = [of(message, type, STRUCT), of(message, type, LIST)];
    if (typeof members === 'object' && members !== null)
      return struct.to(members, typeOf(field(type, STRUCT)));
    if (typeof items === 'object' && items !== null) return list.to(items, typeOf(field(type, LIST)));
    return null;
  },
};

const struct: WellKnown = {
  from: (value, type) => {
    if (!isObject(value)) return null;
    const members = field(type, 1);
    const entry = entryOf(members);
    const inner = typeOf(entry?.value ?? members);
    const pairs = Object.entries(value).map(([key, item]) => [key, anyValue.from(item, inner)] as const);
    if (entry === null) return { [members.name]: Object.fromEntries(pairs) };
    return {
      [members.name]: pairs.map(([key, item]) => ({ [entry.key.name]: key, [entry.value.name]: item })),
    };
  },
  to: (message, type) => {
    const members = field(type, 1);
    const entry = entryOf(members);
    const inner = typeOf(entry?.value ?? members);
    const told = of(message, type, 1) ?? {};
    const pairs =
      entry === null
        ? Object.entries(told as Readonly<Record<string, object>>)
        : Object.values(told as readonly Members[]).map(
            (one) => [String(one[entry.key.name]), (one[entry.value.name] ?? {}) as object] as const,
          );
    return Object.fromEntries(pairs.map(([key, item]) => [key, anyValue.to(item, inner)]));
  },
};

const list: WellKnown = {
  from: (value, type) => {
    if (!Array.isArray(value)) return null;
    const inner = typeOf(field(type, 1));
    return { [field(type, 1).name]: value.map((item: Json) => anyValue.from(item, inner)) };
  },
  to: (message, type) => {
    const inner = typeOf(field(type, 1));
    return ((of(message, type, 1) ?? []) as readonly object[]).map((item) => anyValue.to(item, inner));
  },
};

const NANOS = 1_000_000_000;

function parts(message: object, type: Type): { readonly seconds: bigint; readonly nanos: number } {
  return {
    seconds: BigInt(String(of(message, type, 1) ?? 0)),
    nanos: Number(of(message, type, 2) ?? 0),
  };
}

function fraction(nanos: number): string {
  if (nanos === 0) return '';
  return `.${String(nanos)
    .padStart(9, '0')
    .replace(/(?:000)+$/, '')}`;
}

const timestamp: WellKnown = {
  from: (value, type) => {
    const [, whole, digits = ''] =
      /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/.exec(String(value)) ?? [];
    const zone = /(?:Z|[+-]\d\d:\d\d)$/.exec(String(value))?.[0] ?? 'Z';
    const ms = Date.parse(`${whole}${zone}`);
    if (typeof value !== 'string' || whole === undefined || Number.isNaN(ms)) return null;
    return secondsAndNanos(type, String(ms / 1000), Number(digits.padEnd(9, '0')));
  },
  to: (message, type) => {
    const { seconds, nanos } = parts(message, type);
    const date = new Date(Number(seconds) * 1000);
    if (Number.isNaN(date.getTime())) return { seconds: String(seconds), nanos };
    return `${date.toISOString().slice(0, -5)}${fraction(nanos)}Z`;
  },
};

const duration: WellKnown = {
  from: (value, type) => {
    const found = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(String(value));
    if (typeof value !== 'string' || found === null) return null;
    const [, sign = '', seconds = '0', digits = ''] = found;
    const nanos = Number(digits.padEnd(9, '0'));
    return secondsAndNanos(type, `${sign}${seconds}`, sign === '-' ? -nanos : nanos);
  },
  to: (message, type) => {
    const { seconds, nanos } = parts(message, type);
    const total = seconds * BigInt(NANOS) + BigInt(nanos);
    const size = total < 0n ? -total : total;
    const sign = total < 0n ? '-' : '';
    return `${sign}${size / BigInt(NANOS)}${fraction(Number(size % BigInt(NANOS)))}s`;
  },
};

function secondsAndNanos(type: Type, seconds: string, nanos: number): object {
  return { [field(type, 1).name]: seconds, [field(type, 2).name]: nanos };
}

export const wellKnown: ReadonlyMap<string, WellKnown> = new Map([
  ['.google.protobuf.Value', anyValue],
  ['.google.protobuf.Struct', struct],
  ['.google.protobuf.ListValue', list],
  ['.google.protobuf.Timestamp', timestamp],
  ['.google.protobuf.Duration', duration],
]);

/** A message around a single value, which JSON writes without it. */
export function isWrapper({ fullName }: Type): boolean {
  return /^\.google\.protobuf\.(?:Double|Float|U?Int64|U?Int32|Bool|String|Bytes)Value$/.test(fullName);
}
