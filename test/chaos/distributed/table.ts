type Told = { readonly [key: string]: unknown };

const figure = (value: unknown) =>
  typeof value === 'number' ? value.toLocaleString('en-US') : String(value);

/** What was killed and what came of it, for people. */
export function tableOf(result: Told): string {
  const named = (key: string): [string, unknown] => [key.replaceAll('_', ' '), result[key]];
  const inside = (key: string): [string, unknown][] =>
    Object.entries((result[key] ?? {}) as Told).map(([name, value]) => [
      `  ${name.replaceAll('_', ' ')}`,
      value,
    ]);
  const lines: [string, unknown][] = [
    named('kills'),
    ...inside('kills_by_target'),
    ...['engines_and_bridges_at_once', 'everything_at_once', 'while_recovering'].map(named),
    ...['accepted', 'completed', 'lost', 'recorded_twice', 'event_gaps', 'fold_differences'].map(named),
    ...['contradicted', 'refused', 'ended_alone', 'redelivered'].map(named),
    ['recovery, ms', ''],
    ...inside('recovery_ms'),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${figure(value)}\n`).join('');
}
