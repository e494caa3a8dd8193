import { canonicalJson } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { mistake } from '../mapping/mistake.ts';
import { pointer } from '../mapping/pointer.ts';

/** Whether an answer is of a certain kind. */
export type Judge = (status: number, value: Json | undefined) => boolean;

export type JudgeConfig = {
  readonly at?: string;
  readonly is?: Json;
  readonly status?: number | readonly number[];
};

/** By its status, by what stands at a place of it, or by both. */
export function judgeOf({ at: place, is, status }: JudgeConfig, at: string): Judge {
  if (is !== undefined && place === undefined)
    throw mistake(child(at, 'at'), 'is missing', 'is compares what stands there');
  const statuses = status === undefined ? null : statusesOf(status, child(at, 'status'));
  const read = place === undefined ? null : pointer(place, child(at, 'at'));
  const wanted = is === undefined ? null : isOneOf(is);
  return (found, value) => {
    if (statuses?.includes(found) === false) return false;
    if (read === null) return true;
    const there = value === undefined ? undefined : read(value);
    if (wanted !== null) return there !== undefined && wanted(there);
    // Without a value to compare with it is enough that something is said.
    return there !== undefined && there !== null && there !== false && there !== '';
  };
}

/** A list means any of its items. */
export function isOneOf(is: Json): (value: Json) => boolean {
  const values: readonly Json[] = Array.isArray(is) ? is : [is];
  const texts = new Set(values.map(canonicalJson));
  return (value) => (typeof value === 'object' ? texts.has(canonicalJson(value)) : values.includes(value));
}

function statusesOf(status: number | readonly number[], at: string): readonly number[] {
  const list: readonly unknown[] = Array.isArray(status) ? status : [status];
  return list.map((one) => {
    if (Number.isInteger(one) && Number(one) >= 200 && Number(one) <= 599) return Number(one);
    throw mistake(at, 'must be a status from 200 to 599, or a list of them');
  });
}
