import { readFileSync, writeFileSync } from 'node:fs';
import type { Cell, Report, Row } from './report.ts';
import { findWorkload } from './workloads.ts';

const README = new URL('./README.md', import.meta.url);
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** The table as aligned Markdown: workloads down, systems across, median and worst of the runs in each field. */
export function renderTable(report: Report): string {
  const columns = distinct([...report.rows, ...report.absent, ...report.failed].map(columnOf));
  const lines = distinct([...report.rows, ...report.absent, ...report.failed].map(lineOf));
  const durabilities = columns.map(
    (column) => report.rows.find((row) => columnOf(row) === column)?.durability ?? '–',
  );
  const fields = dropEmptyRepeats(report, lines).map((line) => [
    line,
    ...columns.map((column) => field(report, line, column)),
  ]);
  return align([['', ...columns], ['durability', ...durabilities], ...fields]);
}

export function renderMarkdown(report: Report): string {
  const { cpu, cores, memory_gb, node, fsync_ms, date } = report.machine;
  const machine = `${date}, ${cpu}, ${cores} cores, ${memory_gb} GB, Node ${node}, fsync ${fsync_ms.p50} ms (p99 ${fsync_ms.p99} ms)`;
  const notes = Object.entries(report.notes).map(([system, texts]) => `- **${system}**: ${texts.join(' ')}`);
  const reasons = distinct(
    report.absent.map(({ system, workload, reason }) => `- ${system} ${workload}: ${reason}`),
  );
  const missing = reasons.length === 0 ? [] : ['', 'Fields that read "–":', '', ...reasons];
  return [
    `Median (worst) of three runs. ${machine}.`,
    '',
    renderTable(report),
    '',
    ...notes,
    ...missing,
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

function columnOf({ system, store }: Cell): string {
  return `${system} ${store}`;
}

function lineOf(row: Cell & Partial<Row>): string {
  const { title } = findWorkload(row.workload);
  const figure = [row.metric, row.unit].filter((part) => part !== undefined).join(' ');
  return figure === '' ? `${row.workload} ${title}` : `${row.workload} ${title}, ${figure}`;
}

/** An absent field has no metric of its own: its line shows only where no system measured the workload. */
function dropEmptyRepeats(report: Report, lines: readonly string[]): string[] {
  const measured = new Set(report.rows.map((row) => findWorkload(row.workload).title));
  const filled = new Set(report.rows.map(lineOf));
  return lines
    .filter((line) => filled.has(line) || ![...measured].some((title) => line.includes(title)))
    .toSorted((a, b) => Number.parseInt(a.slice(1), 10) - Number.parseInt(b.slice(1), 10));
}

function field(report: Report, line: string, column: string): string {
  const row = report.rows.find((each) => columnOf(each) === column && lineOf(each) === line);
  if (row !== undefined) return `${number(row.value)} (${number(row.worst)})`;
  const failed = report.failed.some(
    (each) => columnOf(each) === column && line.startsWith(`${each.workload} `),
  );
  return failed ? 'failed' : '–';
}

function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

function align(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const print = (row: readonly string[]) =>
    `| ${row.map((text, index) => (index === 0 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [print(head), rule, ...rows.slice(1).map(print)].join('\n');
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
