import { createDispatch, defaultDispatchLimits } from './dispatch.ts';
import { exampleMethods, examplesSuite } from './examples.suite.ts';
import { plainPolicy } from './policy.ts';
import { quiet } from './testing/quiet.suite.ts';

const dispatch = createDispatch({
  methods: exampleMethods,
  policy: plainPolicy,
  limits: defaultDispatchLimits,
  ...quiet,
});
const { signal } = new AbortController();

examplesSuite('in process, as text', (text) => dispatch.handle(text, null, signal));
examplesSuite('in process, as bytes', (text) => dispatch.handle(Buffer.from(text), null, signal));
