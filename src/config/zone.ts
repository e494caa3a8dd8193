import { section } from './words.ts';
import { gatewaySchema } from './zone-gateway.ts';

/** The two sides of a connection between zones. A process is one of them, or both. */
export const zoneSchema = section('The connection between zones (`execute_task`).', {
  gateway: gatewaySchema,
});
