export type Instruction = { readonly word: string; readonly rest: string };

/** The instructions of a Dockerfile, each on one line. */
export function instructionsOf(source: string): Instruction[] {
  const whole = source.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ');
  return whole
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (word === '') throw new Error(`no instruction: ${line}`);
      return { word, rest };
    });
}

/** The instructions of each stage, its `FROM` first. */
export function stagesOf(instructions: readonly Instruction[]): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.word === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

/** A command line that is written as a list, so that no shell stands between. */
export function commandLine(text: string): string[] {
  const words: unknown = JSON.parse(text);
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string'))
    throw new Error(`not a list of words: ${text}`);
  return words;
}
