import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { isSchema } from '../../core/json-schema.ts';
import { didYouMean } from '../../core/suggest.ts';
import { describeValue } from '../describe.ts';
import type { Finding } from '../parsed.ts';
import type { Path } from '../path.ts';
import { NOTHING } from '../problems.ts';
import { canBe, eitherKinds, kindOfValue } from './kinds.ts';
import { isUnread, type Judging, misfits, textAt, wrongItems, wrongText } from './param-texts.ts';
import { describe, unknownKey, wrongValue } from './param-words.ts';
import { scalarTrouble } from './scalar-trouble.ts';
import { type Branch, branchesOf, kindsOfBranch, listOf, type Shape } from './shape.ts';

type Findings = readonly Finding[];
const FINE: Findings = [];

/**
 * Everything about params that is certainly wrong, with references still in them: of what a text becomes only its kind
 * is known. What fits here may still be refused by words of the schema that are not looked at.
 */
export function judge(value: Json, shape: Shape, at: Path, judging: Judging): Findings {
  const branches = branchesOf(shape);
  const judged = branches.map((branch) => judgeBranch(value, { branch, shape, at, judging }));
  if (judged.some((findings) => findings.length === 0)) return FINE;
  const fitting = branches.flatMap((branch, i) =>
    fitsKind(value, branch, at, judging) ? [judged[i] ?? FINE] : [],
  );
  const [best] = fitting.toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length);
  if (best !== undefined && (fitting.length === 1 || depthOf(best) > at.length)) return best;
  const text = textAt(value, at, judging);
  const kinds = eitherKinds(branches.map(kindsOfBranch));
  const wanted = describe(shape, kinds);
  return text === undefined ? [wrongValue(value, at, wanted)] : wrongText(text, kinds, wanted, judging);
}

type Here = {
  readonly branch: Branch;
  readonly shape: Shape;
  readonly at: Path;
  readonly judging: Judging;
};

function depthOf(findings: Findings): number {
  return Math.max(0, ...findings.map(({ path }) => path.length));
}

function fitsKind(value: Json, branch: Branch, at: Path, judging: Judging): boolean {
  const wanted = kindsOfBranch(branch);
  if (isUnread(value, at, judging)) return true;
  const text = textAt(value, at, judging);
  if (text === undefined) return canBe(new Set([kindOfValue(value)]), wanted);
  return misfits(text, wanted, judging).length === 0;
}

function judgeBranch(value: Json, here: Here): Findings {
  const { branch, at, judging, shape } = here;
  if (isUnread(value, at, judging)) return FINE;
  const text = textAt(value, at, judging);
  const wanted = kindsOfBranch(branch);
  if (text !== undefined) {
    const wrong = wrongText(text, wanted, describe(shape, wanted), judging);
    return wrong.length > 0 ? wrong : wrongItems(text, shape, judging);
  }
  if (!canBe(new Set([kindOfValue(value)]), wanted)) return [wrongValue(value, at, describe(shape, wanted))];
  const trouble = branch.map((schema) => scalarTrouble(schema, value)).find((found) => found !== null);
  if (trouble !== null && trouble !== undefined)
    return [withHint(wrongValue(value, at, trouble.wanted), trouble.hint)];
  if (isObject(value)) return judgeObject(value, here);
  return Array.isArray(value) ? judgeList(value, here) : FINE;
}

function withHint(finding: Finding, hint: string | null): Finding {
  return hint === null ? finding : { ...finding, hint };
}

function judgeObject(value: JsonObject, here: Here): Findings {
  const { branch, at, shape, judging } = here;
  const findings: Finding[] = [];
  const strangers: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const schemas = branch.map((schema) => propertySchema(schema, key));
    if (schemas.includes(false)) {
      strangers.push(key);
      findings.push(unknownKey(key, at, branch.flatMap(keysOf)));
    } else {
      const schema = { allOf: schemas.filter((one) => isObject(one)) };
      findings.push(...judge(inner, simpler(shape, schema), [...at, key], judging));
    }
  }
  for (const key of new Set(branch.flatMap((schema) => listOf(schema, 'required')))) {
    if (typeof key === 'string' && !Object.hasOwn(value, key))
      findings.push(...missingKey(key, here, strangers));
  }
  return findings;
}

function simpler({ root }: Shape, schema: { readonly allOf: readonly JsonObject[] }): Shape {
  const [only, ...more] = schema.allOf;
  return { root, schema: only === undefined ? true : more.length === 0 ? only : schema };
}

/** False: there is no such key. Patterns are left to whoever judges last. */
function propertySchema(schema: JsonObject, key: string): unknown {
  const properties = own(schema, 'properties');
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  if (own(schema, 'patternProperties') !== undefined) return undefined;
  return own(schema, 'additionalProperties');
}

function keysOf(schema: JsonObject): string[] {
  const properties = own(schema, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
}

/** Where it is there under a misspelt name, that has been said already. What has a default is filled in. */
function missingKey(key: string, { branch, at, shape }: Here, strangers: readonly string[]): Findings {
  if (strangers.some((stranger) => didYouMean(stranger, [key]).startsWith('did you mean'))) return FINE;
  const schema = branch.map((one) => propertySchema(one, key)).find((one) => isSchema(one));
  if (isObject(schema) && Object.hasOwn(schema, 'default')) return FINE;
  const expected = isSchema(schema) ? describe({ ...shape, schema }, null) : null;
  const hint = expected === null || expected === 'anything' ? null : `it is ${expected}`;
  const base = { path: [...at, key], part: 'key', code: 'GLZ1005' } as const;
  return [{ ...base, message: 'is missing', found: NOTHING, expected, hint }];
}

function judgeList(value: readonly Json[], { branch, at, shape, judging }: Here): Findings {
  return value.flatMap((item, index) => {
    const schemas = branch.map((schema) => {
      const first = listOf(schema, 'prefixItems');
      return index < first.length ? first[index] : own(schema, 'items');
    });
    if (schemas.includes(false)) {
      return [
        {
          path: [...at, index],
          part: 'value',
          code: 'GLZ1005',
          message: 'is one item too many',
          found: describeValue(item),
        } as const,
      ];
    }
    const schema = { allOf: schemas.filter((one) => isObject(one)) };
    return judge(item, simpler(shape, schema), [...at, index], judging);
  });
}
