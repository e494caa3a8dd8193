/**
 * Where the next limit is when there is more to do, and what to turn: partitions, bridges, engines, Kafka and Postgres as a
 * network of queues, with the costs that stand in `scale/inputs.json`. `node bench/scale.ts [--inputs file.json]`
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readInputs } from './scale/inputs.ts';
import { report } from './scale/report.ts';

const { values } = parseArgs({ options: { inputs: { type: 'string' } } });
const file = values.inputs === undefined ? undefined : pathToFileURL(resolve(values.inputs));
process.stdout.write(report(readInputs(file)));
