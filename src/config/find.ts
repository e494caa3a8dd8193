import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const names = ['gleitzeit.config', 'gleitzeit'].flatMap((name) =>
  ['yaml', 'yml', 'json'].map((end) => `${name}.${end}`),
);

/** The configuration file of a folder, or of the nearest one above it. */
export function findConfig(folder: string): string | null {
  const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  const above = dirname(folder);
  return above === folder ? null : findConfig(above);
}
