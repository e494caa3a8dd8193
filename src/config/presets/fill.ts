import type { Json, JsonObject } from '../../core/json.ts';
import { fillNamed, type Named, namedKeys as namedIn } from '../../core/named-parts.ts';

/** What a type is made of, with `${config.key}` filled in. */
export function fillPreset(use: JsonObject, config: JsonObject): JsonObject {
  return fillNamed(use, { word: 'config', values: config });
}

/** Every key of `config` that is named, with the way to where. */
export function namedKeys(use: Json): Named[] {
  return namedIn(use, 'config');
}
