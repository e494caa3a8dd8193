import { Type } from '../../type.ts';
import { count, nullable, time } from './basic.ts';

const milliseconds = nullable(Type.Number());

const fields = {
  calls: count,
  errors: count,
  errors_by_class: Type.Record(Type.String(), count, {
    description: 'class of the error, as in the table of errors → how many',
  }),
  retries: Type.Integer({
    minimum: 0,
    description: 'calls of attempts that were not the first of their task',
  }),
  hedges: Type.Integer({
    minimum: 0,
    description: 'calls that were made because another provider had not answered',
  }),
  latency: Type.Object(
    { p50_ms: milliseconds, p95_ms: milliseconds, p99_ms: milliseconds },
    { description: 'of the calls that were answered or took too long, to within a twentieth' },
  ),
  input_tokens: count,
  output_tokens: count,
  cost: Type.Record(Type.String(), Type.Number(), {
    description: 'currency → how much, by `cost` of the providers',
  }),
};

const figures = Type.Object(fields, { title: 'CallFigures', description: 'what calls came to' });

const series = {
  total: figures,
  steps: Type.Array(Type.Object({ at: time, ...fields }, { title: 'CallStep' }), {
    description: 'the oldest first; those without calls are left out',
  }),
};

export const protocolStats = Type.Object(
  {
    protocol: Type.String(),
    ...series,
    providers: Type.Array(Type.Object({ provider: Type.String(), ...series })),
    methods: Type.Array(Type.Object({ method: Type.String(), ...series })),
  },
  { title: 'ProtocolStats' },
);
