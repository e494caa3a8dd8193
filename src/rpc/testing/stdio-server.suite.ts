import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { createDispatch, defaultDispatchLimits, type MethodHandler } from '../dispatch.ts';
import { plainPolicy } from '../policy.ts';
import { serveStdio } from '../stdio/serve.ts';
import { exampleMethods } from './example-methods.suite.ts';
import { quiet } from './quiet.suite.ts';

// The examples' server as a program of its own. `after_all` is answered after everything that was asked before it.
const methods = new Map<string, MethodHandler<unknown>>([
  ...exampleMethods,
  ['after_all', () => setImmediate('after all')],
]);
const dispatch = createDispatch({ methods, policy: plainPolicy, limits: defaultDispatchLimits, ...quiet });

await serveStdio({
  dispatch,
  context: () => null,
  input: process.stdin,
  output: process.stdout,
  max_message: 1e6,
});
