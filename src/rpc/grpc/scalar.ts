import type { Field } from 'protobufjs';
import { GleitzeitError } from '../../core/errors.ts';
import { type Json, kindOf } from '../../core/json.ts';

const whole = /^-?\d{1,20}$/;
const specialNumbers = new Set(['NaN', 'Infinity', '-Infinity']);
/** Of either alphabet, and whole: Node reads whatever it can of a broken text and says nothing. */
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** A value that is no message, as the driver takes it. Throws GLZ2010 with the place for what does not fit. */
export function toScalar({ type }: Pick<Field, 'type'>, value: Json, at: string): unknown {
  if (type === 'string') return typeof value === 'string' ? value : wrong(at, 'text', value);
  if (type === 'bool') return typeof value === 'boolean' ? value : wrong(at, 'true or false', value);
  if (type === 'bytes') return toBytes(value, at);
  if (type === 'double' || type === 'float') {
    const isNumber = typeof value === 'number' || (typeof value === 'string' && specialNumbers.has(value));
    return isNumber ? Number(value) : wrong(at, 'a number', value);
  }
  const isWhole = Number.isSafeInteger(value) || (typeof value === 'string' && whole.test(value));
  if (isWhole && fits(type, BigInt(value as number | string)))
    // Numbers of 64 bits travel as text: JSON has no room for all of them.
    return type.endsWith('64') ? String(value) : Number(value);
  const hint = type.endsWith('64') ? ', as text where it is large' : '';
  return refuse(at, `must be a whole number of ${type}${hint}, not ${shown(value)}`);
}

/** What is too large would come out as another number. */
function fits(type: string, value: bigint): boolean {
  const bits = type.endsWith('64') ? 64 : 32;
  const unsigned = type.startsWith('u') || type === `fixed${bits}`;
  return (unsigned ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value)) === value;
}

function toBytes(value: Json, at: string): Buffer {
  if (typeof value === 'string' && base64.test(value) && value.replaceAll('=', '').length % 4 !== 1)
    return Buffer.from(value, 'base64');
  return wrong(at, 'base64', value);
}

function shown(value: Json): string {
  return typeof value === 'number' || (typeof value === 'string' && whole.test(value))
    ? String(value)
    : kindOf(value);
}

function wrong(at: string, expected: string, value: Json): never {
  return refuse(at, `must be ${expected}, not ${kindOf(value)}`);
}

export function refuse(at: string, reason: string): never {
  throw new GleitzeitError('GLZ2010', `params${at}: ${reason}`, { field: at, reason });
}
