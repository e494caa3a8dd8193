import { readFileSync, writeFileSync } from 'node:fs';
import { formatNumber } from './measure.ts';
import type { Cell, Report, Row } from './report.ts';
import type { WorkloadId } from './system.ts';
import { WORKLOADS } from './workloads.ts';

const README = new URL('./README.md', import.meta.url);
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

interface Line {
  readonly workload: WorkloadId;
  readonly metric: string | undefined;
  readonly label: string;
  field(row: Row): string;
}

/** The table as aligned Markdown: workloads down, systems across, median and worst of the runs in each field. */
export function renderTable(report: Report): string {
  const columns = distinct(cellsOf(report).map(columnOf));
  const durabilities = columns.map(
    (column) => report.rows.find((row) => columnOf(row) === column)?.durability ?? '–',
  );
  const lines = linesOf(report).map((line) => [
    line.label,
    ...columns.map((column) => fieldOf(report, line, column)),
  ]);
  return align([['', ...columns], ['durability', ...durabilities], ...lines]);
}

export function renderMarkdown(report: Report): string {
  const { cpu, cores, memory_gb, node, fsync_ms, load, date } = report.machine;
  const notes = Object.entries(report.notes).map(([system, texts]) => `- **${system}**: ${texts.join(' ')}`);
  const reasons = distinct(
    report.absent.map(({ system, workload, reason }) => `- ${system} ${workload}: ${reason}`),
  );
  return [
    `Median (worst) of three runs${report.quick ? ', short ones' : ''}. ${date}, ${cpu}, ${cores} cores, ${memory_gb} GB,`,
    `Node ${node}, fsync ${fsync_ms.p50} ms (p99 ${fsync_ms.p99} ms), load ${load} before the first run.`,
    '',
    renderTable(report),
    '',
    ...notes,
    ...(reasons.length === 0 ? [] : ['', 'Fields that read "–":', '', ...reasons]),
  ].join('\n');
}

/** Puts the table between the two marker comments of the README. */
export function fillReadme(report: Report): void {
  const text = readFileSync(README, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`bench/README.md has no ${BEGIN} … ${END}`);
  const before = text.slice(0, begin + BEGIN.length);
  writeFileSync(README, `${before}\n${renderMarkdown(report)}\n${text.slice(end)}`);
}

function cellsOf({ rows, absent, failed }: Report): Cell[] {
  return [...rows, ...absent, ...failed];
}

function columnOf({ system, store }: Cell): string {
  return system === store ? system : `${system} ${store}`;
}

/** One line per figure; a workload nobody has a figure for still has its line. */
function linesOf(report: Report): Line[] {
  return WORKLOADS.flatMap(({ id, title }): Line[] => {
    const rows = report.rows.filter((row) => row.workload === id);
    if (rows.length === 0 && !cellsOf(report).some(({ workload }) => workload === id)) return [];
    if (rows.length === 0)
      return [{ workload: id, metric: undefined, label: `${id} ${title}`, field: rateField }];
    return distinct(rows.map((row) => row.metric)).flatMap((metric): Line[] => {
      const same = rows.filter((row) => row.metric === metric);
      const label = (what: string) => `${id} ${title}, ${metric === undefined ? '' : `${metric} `}${what}`;
      const line: Line = { workload: id, metric, label: label(same[0]?.unit ?? ''), field: rateField };
      const shared = same.some(({ share_of_bare }) => share_of_bare !== undefined);
      return shared ? [line, { ...line, label: label('share of the bare loop'), field: shareField }] : [line];
    });
  });
}

function rateField({ value, worst }: Row): string {
  return `${formatNumber(value)} (${formatNumber(worst)})`;
}

function shareField({ share_of_bare }: Row): string {
  return share_of_bare === undefined ? '–' : share_of_bare.toFixed(share_of_bare < 0.1 ? 3 : 2);
}

function fieldOf(report: Report, { workload, metric, field }: Line, column: string): string {
  const isHere = (cell: Cell) => cell.workload === workload && columnOf(cell) === column;
  const row = report.rows.find((each) => isHere(each) && each.metric === metric);
  if (row !== undefined) return field(row);
  return report.failed.some(isHere) ? 'failed' : '–';
}

function align(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const pad = (text: string, index: number) =>
    index === 0 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0);
  return [head, rule, ...body].map((row) => `| ${row.map(pad).join(' | ')} |`).join('\n');
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
