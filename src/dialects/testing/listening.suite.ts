import type { Report } from '../../core/ports/provider.ts';
import type { ProgressTold } from '../../core/progress.ts';
import { heard, nextTold, noReports } from '../../core/progress-report.ts';
import { hiddenForms } from '../../core/progress-text.ts';

/** Hears the reports of a call, and tells all of them at once as an engine would: without what is secret. */
export function listening(): { readonly report: Report; readonly told: () => ProgressTold | null } {
  let reports = noReports;
  const secrets = new Set<() => readonly string[]>();
  return {
    report: (progress, from) => {
      reports = heard(reports, progress);
      if (from?.secrets !== undefined) secrets.add(from.secrets);
    },
    told: () => {
      const hidden = hiddenForms([...secrets].flatMap((known) => known()));
      return nextTold(reports, hidden, { last: true }).told;
    },
  };
}
