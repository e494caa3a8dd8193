export type { ErrorClass, ErrorCode } from './core/error-codes.ts';
export { type ErrorRecord, GleitzeitError } from './core/errors.ts';
export type { Event, EventMap, EventName } from './core/events.ts';
export type { Json, JsonObject } from './core/json.ts';
export type { Logger } from './core/ports/logger.ts';
export type { Progress } from './core/ports/provider.ts';
export { AskAgain, type FunctionContext } from './dialects/function/provider.ts';
export type {
  Gleitzeit,
  SubmittedTask,
  SubmittedWorkflow,
  TaskResult,
  WorkflowResults,
} from './embedded/gleitzeit.ts';
export type { FunctionProvider, GleitzeitOptions, StoreOptions } from './embedded/options.ts';
export type { TaskInput, WorkflowInput } from './embedded/task-input.ts';
export type { ProgressView, RunView, TaskView } from './engine/views.ts';
export { createGleitzeit } from './main/embedded.ts';
export { type ProtocolInput, protocol } from './registry/typed.ts';
export type { ProviderStatus } from './router/status.ts';
