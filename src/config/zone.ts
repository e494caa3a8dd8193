import { section } from './words.ts';
import { executionKeys } from './zone-execution.ts';
import { gatewaySchema } from './zone-gateway.ts';

/** The connection between zones. */
export const zoneSchema = section('The connection between zones (`execute_task`).', {
  ...executionKeys,
  gateway: gatewaySchema,
});
