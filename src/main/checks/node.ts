import { readFileSync } from 'node:fs';
import { packageFile } from '../package-file.ts';
import { version } from '../version.ts';
import { type Finding, findings } from './finding.ts';

const { ok, problem } = findings('node');

/** What runs this program, and what this program is. */
export function checkNode(running: string = process.version): Finding[] {
  const least = leastNode();
  const found = `node ${running} on ${process.platform} ${process.arch}`;
  return [
    ok(`gleitzeit ${version()}`),
    isAtLeast(running, least) ? ok(found) : problem(`${found} is too old`, `install Node ${least} or later`),
  ];
}

function leastNode(): string {
  const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  return /[\d.]+/.exec(String(manifest.engines.node))?.[0] ?? '0';
}

export function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version);
  const [leastMajor = 0, leastMinor = 0] = numbersOf(least);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function numbersOf(version: string): number[] {
  return version.replace(/^v/, '').split('.').map(Number);
}
