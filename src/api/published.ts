import type { JsonObject } from '../core/json.ts';
import { event } from './shapes/event.ts';

/** JSON Schema 2020-12 of an event, as it comes over SSE, from `event.list` and with a subscription. */
export const eventSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...(JSON.parse(JSON.stringify(event)) as JsonObject),
};
