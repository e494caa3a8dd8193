import { section } from './words.ts';
import { executionKeys } from './zone-execution.ts';

/** The connection between zones. */
export const zoneSchema = section('The connection between zones (`execute_task`).', { ...executionKeys });
