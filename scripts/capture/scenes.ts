/** One command on a terminal, and what has to be there before. */
export type Scene = {
  readonly name: string;
  /** The example whose folder it is typed in. */
  readonly example: string;
  /** As it is typed, without the program's own name. */
  readonly command: readonly string[];
  /** Commands before it, of which nothing is shown. `$RUN` in the command is the newest run. */
  readonly before?: readonly (readonly string[])[];
  /** Files that are written over those of the example. */
  readonly files?: Readonly<Record<string, string>>;
  /** Taken when these words are first to be read; at the end unless given. */
  readonly until?: string;
  readonly status: number;
};

/** A workflow with a few of the mistakes people make. */
const mistakes = `name: diamond
tasks:
  - id: read
    protocol: text/v1
    method: raed
    retries: three
  - id: count
    protocol: text/v1
    method: count
    params: { text: "\${reed.result.text}" }
`;

export const scenes: readonly Scene[] = [
  { name: 'run', example: '02-diamond', command: ['run', 'workflow.gleitzeit.yaml'], status: 0 },
  {
    name: 'run-live',
    example: '03-retry-and-resume',
    command: ['run', 'workflow.gleitzeit.yaml'],
    until: 'again in',
    status: 0,
  },
  {
    name: 'watch',
    example: '03-retry-and-resume',
    before: [['run', 'workflow.gleitzeit.yaml', '--input', 'seconds=0']],
    command: ['watch', '$RUN'],
    status: 0,
  },
  { name: 'plan', example: '02-diamond', command: ['plan', 'workflow.gleitzeit.yaml'], status: 0 },
  { name: 'doctor', example: '02-diamond', command: ['doctor'], status: 0 },
  {
    name: 'error',
    example: '02-diamond',
    files: { 'workflow.gleitzeit.yaml': mistakes },
    command: ['validate', 'workflow.gleitzeit.yaml'],
    status: 7,
  },
];
