import { simulate } from './world/world.ts';

const from = Number(process.argv[2] ?? 1),
  n = Number(process.argv[3] ?? 1);
const t0 = performance.now();
let steps = 0,
  crashes = 0;
const points = new Map<string, number>();
for (let s = from; s < from + n; s++) {
  const o = await simulate(s, { trace: process.argv[4] === 'trace' });
  steps += o.steps;
  crashes += o.crashes;
  for (const [k, v] of o.crashPoints) points.set(k, (points.get(k) ?? 0) + v);
  if (o.lines.length) console.log(o.lines.slice(-Number(process.argv[5] ?? 200)).join('\n'));
  if (o.violations.length) {
    console.log('seed', s, o.violations.slice(0, 3));
    if (process.argv[4] !== 'all') break;
  }
}
console.log({ steps, crashes, points, ms: (performance.now() - t0) / n });
