/** What may be submitted, and the doors it comes in by. */
export { parseTask, type TaskDefinition } from './task-definition.ts';
export { parseWorkflow, type WorkflowDefinition } from './workflow-definition.ts';
