/**
 * What generated cases are drawn from. The same in every run, so that a verdict is about the code and not about luck;
 * `npm run test:full` draws anew and prints its seed, and the same seed finds the same cases again.
 */
export const seed = Number(process.env['GLEITZEIT_TEST_SEED'] ?? 1);
