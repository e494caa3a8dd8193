import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReferences } from './references.ts';
import { load, mistakes, rendered } from './testing.suite.ts';

const config = (value: string) =>
  `protocols: [{name: llm/v1, providers: [{type: ollama, config: {v: ${value}}}]}]`;
const filled = async (value: string, env: Record<string, string> = {}) =>
  (await load(config(value), { env })).protocols[0]?.providers[0]?.config['v'];

describe('${NAME}', () => {
  it.each([
    ['"${X}"', 'a b'],
    ['"<${X}|${X}>"', '<a b|a b>'],
    ['"${NONE:-else}"', 'else'],
    ['"${NONE:-}"', ''],
    ['"${EMPTY:-else}"', 'else'],
    ['"${EMPTY}"', ''],
    ['"${X:-else}"', 'a b'],
    ['"${NONE:-a:b-c/d}"', 'a:b-c/d'],
    ['"$${X}"', '${X}'],
    ['"$$${X}"', '$${X}'],
    ['"$${"', '${'],
    ['"$"', '$'],
    ['"$X {X}"', '$X {X}'],
    ['"${params.q}"', '${params.q}'],
    ['"${X} ${params.q}"', 'a b ${params.q}'],
    ['"$${params.q}"', '$${params.q}'],
    ['"${TRICK}"', '${X} ${secrets.s}'],
  ])('%s becomes %j', async (written, value) => {
    expect(await filled(written, { X: 'a b', EMPTY: '', TRICK: '${X} ${secrets.s}' })).toBe(value);
  });

  it('says which one is missing, where, and the nearest there is', async () => {
    const found = await rendered(config('"x ${OPENAI_KEY}"'), { env: { OPENAI_KEYS: 'x' } });
    expect(found).toContain(
      'gleitzeit.yaml:1:70  protocols[0].providers[0].config.v: the environment variable OPENAI_KEY is not set',
    );
    expect(found).toContain(
      '^^^^^^^^^^^^^  did you mean OPENAI_KEYS? Otherwise set it, or give a default: ${OPENAI_KEY:-value}',
    );
  });

  it('reaches no further than the environment itself', async () => {
    expect(await mistakes(config('"${constructor}"'))).toEqual([
      expect.stringContaining('constructor is not set'),
    ]);
  });

  it('takes the type that the key has', async () => {
    const text =
      'server: {port: "${PORT}"}\ntelemetry: {metrics: "${METRICS}"}\nengine: {lease_ttl: "${TTL}"}';
    const env = { PORT: '9000', METRICS: 'false', TTL: '2' };
    expect(await load(text, { env })).toMatchObject({
      server: { port: 9000 },
      telemetry: { metrics: false },
      engine: { lease_ttl: 2 },
    });
  });

  it('does not show in a message what it stands for', async () => {
    const found = await rendered('server: {port: "${PORT}"}', { env: { PORT: 'hunter2' } });
    expect(found).toContain('server.port: must be a whole number');
    expect(found).not.toContain('hunter2');
  });

  it('stands for itself after any text is escaped', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('$', '{', '}', 'A', ':-', ' ', '${', 'x')), (pieces) => {
        const text = pieces.join('');
        const escaped = text.replaceAll('${', () => '$${');
        const parts = readReferences(escaped);
        expect(parts.every(({ kind }) => kind === 'text')).toBe(true);
        expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe(text);
      }),
    );
  });
});
