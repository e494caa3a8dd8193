import { runSteps } from './run-steps.ts';
import { plans } from './steps.ts';

const name = process.argv[2] ?? 'test';
if (name === 'full') {
  process.env['GLEITZEIT_TEST_SEED'] ??= String(Date.now() % 1_000_000);
  console.log(`Generated cases are drawn from GLEITZEIT_TEST_SEED=${process.env['GLEITZEIT_TEST_SEED']}.`);
}
const plan = plans[name];
if (plan === undefined) {
  console.error(`There is no plan ${name}; there are ${Object.keys(plans).join(', ')}.`);
  process.exitCode = 1;
} else {
  const { passed, failed } = await runSteps(plan, (line) => console.log(line));
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
