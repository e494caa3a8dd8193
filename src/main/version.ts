import { readFileSync } from 'node:fs';
import { packageFile } from './package-file.ts';

/** As the package says it. */
export function version(): string {
  const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  return String(manifest.version);
}
