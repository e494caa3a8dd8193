import { isObject, kindOf, own } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import { didYouMean, nearest } from '../core/suggest.ts';
import { isSecret } from './secret-fields.ts';

/** What a validator says about one value; the part of ajv's error objects that is read here. */
export type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: unknown;
  readonly data?: unknown;
};

/** `pointer` leads from the checked value to the place of the trouble. */
export type SchemaTrouble = { readonly pointer: string; readonly reason: string; readonly hint?: string };

const TEXT_SHOWN = 40;
const VALUES_SHOWN = 8;
const REASONS_SHOWN = 3;

/** One sentence about what is wrong, from all that a validator reported of it. */
export function explain(errors: readonly SchemaError[], secrets: readonly string[]): SchemaTrouble {
  const told = errors.filter((error) => error.keyword !== 'if');
  const candidates = told.length === 0 ? errors : told;
  const choice = candidates.find((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  if (choice !== undefined) return explainChoice(choice, candidates, secrets);
  const [first] = candidates;
  return first === undefined
    ? { pointer: '', reason: 'does not fit its schema' }
    : explainOne(first, secrets);
}

/** Of several forms none fits: the one that failed deepest is most likely the one that was meant. */
function explainChoice(
  choice: SchemaError,
  errors: readonly SchemaError[],
  secrets: readonly string[],
): SchemaTrouble {
  const inner = errors.filter(
    (error) => error !== choice && error.keyword !== 'anyOf' && error.keyword !== 'oneOf',
  );
  const depth = Math.max(0, ...inner.map((error) => error.instancePath.length));
  const deepest = inner.filter((error) => error.instancePath.length === depth);
  const [first] = deepest;
  if (first === undefined)
    return { pointer: choice.instancePath, reason: 'fits more than one of the allowed forms' };
  if (deepest.length === 1 && depth > choice.instancePath.length) return explainOne(first, secrets);
  if (deepest.every((error) => error.keyword === 'type')) {
    const types = [...new Set(deepest.flatMap((error) => error.params['type']))];
    return explainOne({ ...first, params: { type: types } }, secrets);
  }
  const forms = deepest.slice(0, REASONS_SHOWN).map((error) => explainOne(error, secrets));
  const reasons = [...new Set(forms.map((form) => withField(form, choice)))];
  const hint = forms.find((form) => form.hint !== undefined)?.hint;
  const trouble = {
    pointer: choice.instancePath,
    reason: `fits none of the allowed forms: ${reasons.join('; ')}`,
  };
  return hint === undefined ? trouble : { ...trouble, hint };
}

function withField({ pointer, reason }: SchemaTrouble, choice: SchemaError): string {
  const rest = pointer.slice(choice.instancePath.length);
  return rest === '' ? reason : `${rest} ${reason}`;
}

function explainOne(error: SchemaError, secrets: readonly string[]): SchemaTrouble {
  const { keyword, instancePath, params } = error;
  if (keyword === 'required') return explainMissing(error);
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return explainUnknown(error);
  const found = show(error.data, isSecret(instancePath, secrets));
  if (keyword === 'type') {
    return { pointer: instancePath, reason: `must be ${[params['type']].flat().join(' or ')}, not ${found}` };
  }
  if (keyword === 'enum') return explainEnum(error, found);
  if (keyword === 'const') {
    return {
      pointer: instancePath,
      reason: `must be ${JSON.stringify(params['allowedValue'])}, not ${found}`,
    };
  }
  const reason = error.message ?? 'does not fit its schema';
  return { pointer: instancePath, reason: error.data === undefined ? reason : `${reason}, found ${found}` };
}

/** Often the key is there, misspelt. */
function explainMissing({ instancePath, params, data, parentSchema }: SchemaError): SchemaTrouble {
  const key = String(params['missingProperty']);
  const known = knownKeys(parentSchema);
  const strangers = isObject(data) ? Object.keys(data).filter((name) => !known.includes(name)) : [];
  const close = nearest(key, strangers);
  const trouble = { pointer: child(instancePath, key), reason: 'is missing' };
  return close === undefined ? trouble : { ...trouble, hint: `did you mean it by "${close}"?` };
}

function explainUnknown({ instancePath, params, parentSchema }: SchemaError): SchemaTrouble {
  const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  return {
    pointer: child(instancePath, key),
    reason: `unknown key ${show(key, false)}`,
    hint: didYouMean(key, knownKeys(parentSchema), 'known keys'),
  };
}

function explainEnum({ instancePath, params, data }: SchemaError, found: string): SchemaTrouble {
  const values = [params['allowedValues']].flat();
  const more = values.length > VALUES_SHOWN ? ', …' : '';
  const shown = values.slice(0, VALUES_SHOWN).map((value) => show(value, false));
  const trouble = {
    pointer: instancePath,
    reason: `must be one of ${shown.join(', ')}${more}, not ${found}`,
  };
  const close =
    typeof data === 'string'
      ? nearest(
          data,
          values.filter((value) => typeof value === 'string'),
        )
      : undefined;
  return close === undefined ? trouble : { ...trouble, hint: `did you mean "${close}"?` };
}

function knownKeys(schema: unknown): readonly string[] {
  const properties = isObject(schema) ? own(schema, 'properties') : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** A value in a few words. Of a secret only its kind: the message is stored and logged. */
function show(value: unknown, secret: boolean): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isObject(value)) return 'an object';
  if (secret) return `a ${kindOf(value)}`;
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > TEXT_SHOWN ? `${value.slice(0, TEXT_SHOWN)}…` : value);
}
