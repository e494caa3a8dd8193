import type { Report } from '../core/ports/provider.ts';

/** Reports of a service, with what it was told in confidence: whoever tells them keeps that out. */
export function reportWithout(report: Report, secrets: () => readonly string[]): Report {
  const from = { secrets };
  return (progress) => report(progress, from);
}
