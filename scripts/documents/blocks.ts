/** A fenced block of a page: what it is written in, what its first line says besides, and what stands in it. */
export type Block = {
  readonly language: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** Of its first line, counted from 1. */
  readonly line: number;
};

const fence = /^( *)(`{3,})(\S*) *(.*)$/;
const attribute = /([\w-]+)=(?:"([^"]*)"|(\S+))/g;

/** The blocks of a page in their order. `sh terminal=2 until="listens on"` has the attributes terminal and until. */
export function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', ticks, language = '', rest = ''] = fence.exec(lines[index] ?? '') ?? [];
    if (ticks === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trim() === ticks);
    if (end < 0) throw new Error(`the block that begins in line ${index + 1} does not end`);
    const inside = lines.slice(index + 1, end).map((line) => line.slice(indentOf(line, indent.length)));
    blocks.push({
      language,
      attributes: attributesOf(rest),
      text: inside.map((line) => `${line}\n`).join(''),
      line: index + 1,
    });
    index = end;
  }
  return blocks;
}

/** The page without its blocks, and without code inside lines. */
export function proseOf(text: string): string {
  let inside: string | null = null;
  const kept = text.split('\n').map((line) => {
    const [, , ticks] = fence.exec(line) ?? [];
    if (inside !== null) {
      if (line.trim() === inside) inside = null;
      return '';
    }
    if (ticks === undefined) return line;
    inside = ticks;
    return '';
  });
  return kept.join('\n').replaceAll(/`[^`\n]*`/g, '``');
}

function indentOf(line: string, most: number): number {
  return Math.min(most, line.length - line.trimStart().length);
}

function attributesOf(rest: string): Record<string, string> {
  return Object.fromEntries(
    [...rest.matchAll(attribute)].map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']),
  );
}
