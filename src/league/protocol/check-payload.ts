import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { JsonSchema } from '../../core/json-schema.ts';
import { type CompiledSchema, schemaCompiler } from '../../registry/compile.ts';
import { explain, type SchemaError } from '../../registry/schema-errors.ts';
import { type Fault, type FaultName, payloadFault } from './faults.ts';
import type { RequestType } from './messages.ts';
import { answerSchemas, payloadSchemas } from './payloads.ts';

type Compiled = (value: Json) => readonly SchemaError[] | undefined;

const compile = schemaCompiler();
const known = new Map<unknown, CompiledSchema>();

/** Compiled when it is first needed: a player never sees what a manager is asked. */
function checker(schema: object, name: string): Compiled {
  const ready = known.get(schema) ?? compile(`/${name}`, JSON.parse(JSON.stringify(schema)) as JsonSchema);
  known.set(schema, ready);
  return (value) => ready.check(value);
}

/** The last of the checks. `payload` may be left out where nothing has to be in it. */
export function checkPayload(type: RequestType, payload: Json | undefined): Fault | null {
  const said = payload ?? {};
  if (!isObject(said)) return payloadFault('MISSING_REQUIRED_FIELD', 'the payload must be an object');
  const errors = checker(payloadSchemas[type], type)(said);
  return errors === undefined ? null : faultOf(errors);
}

/** Why an answer cannot be used, in words that follow "the answer"; null where it can. */
export function troubleWithAnswer(type: RequestType, payload: JsonObject): string | null {
  const errors = checker(answerSchemas[type], `${type}/answer`)(payload);
  if (errors === undefined) return null;
  const { pointer } = explain(errors, ['']);
  return pointer === '' ? 'lacks a field of its payload' : `has a wrong ${pointer} in its payload`;
}

/** Fields that have a name of their own in the league's list. */
const named: Readonly<Record<string, FaultName>> = {
  referee_id: 'INVALID_REFEREE_ID',
  player_id: 'INVALID_PLAYER_ID',
  players: 'INVALID_PLAYER_ID',
  opponents: 'INVALID_PLAYER_ID',
  match_id: 'INVALID_MATCH_ID',
  round_id: 'INVALID_ROUND_ID',
};

/** Only the place is told, never the value. */
function faultOf(errors: readonly SchemaError[]): Fault {
  const absent = errors.find(({ keyword }) => keyword === 'required');
  if (absent !== undefined) {
    const place = `${absent.instancePath}/${String(absent.params['missingProperty'])}`.slice(1);
    return payloadFault('MISSING_REQUIRED_FIELD', `Missing required field: ${place}`);
  }
  const place = (errors[0]?.instancePath ?? '').slice(1);
  const [first = ''] = place.split('/');
  const name = Object.hasOwn(named, first) ? named[first] : undefined;
  // Keys of a record are the sender's own words.
  const shown = /^[a-z_]+(\/\d+)?$/.test(place) ? place : first;
  return payloadFault(name ?? 'INVALID_ENVELOPE_FIELD', `Invalid field of the payload: ${shown}`);
}
