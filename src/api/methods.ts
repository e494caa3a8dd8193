import type { Method, Shape } from './method.ts';
import { agentMethods } from './methods/agent.ts';
import { definitionMethods } from './methods/definition.ts';
import { eventMethods } from './methods/event.ts';
import { functionMethods } from './methods/function.ts';
import { protocolMethods } from './methods/protocol.ts';
import { providerMethods } from './methods/provider.ts';
import { queueMethods } from './methods/queue.ts';
import { systemMethods } from './methods/system.ts';
import { taskMethods } from './methods/task.ts';
import { workflowMethods } from './methods/workflow.ts';

/** The control API, method by method. Validation, types, the OpenRPC document and the reference are made from it. */
export const methods = {
  ...taskMethods,
  ...workflowMethods,
  ...definitionMethods,
  ...queueMethods,
  ...protocolMethods,
  ...providerMethods,
  ...agentMethods,
  ...functionMethods,
  ...eventMethods,
  ...systemMethods,
};

export type MethodName = keyof typeof methods;
export type ParamsOf<Name extends MethodName> = Shape<(typeof methods)[Name]['params']>;
export type ResultOf<Name extends MethodName> = Shape<(typeof methods)[Name]['result']>;

/** Name and definition of each, for whoever treats them all the same. */
export const methodEntries = Object.entries(methods) as readonly (readonly [MethodName, Method])[];
