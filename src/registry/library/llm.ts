import { protocol } from '../typed.ts';

const asking = {
  model: { type: 'string', description: 'which model; the default of the provider where it is left out' },
  temperature: { type: 'number', minimum: 0, maximum: 2 },
  top_p: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  stop: { type: 'array', items: { type: 'string' }, maxItems: 16 },
  seed: { type: 'integer' },
} as const;

const answered = {
  text: { type: 'string' },
  model: { type: ['string', 'null'] },
  finish_reason: { type: ['string', 'null'] },
  usage: {
    type: 'object',
    properties: {
      input_tokens: { type: 'integer', minimum: 0 },
      output_tokens: { type: 'integer', minimum: 0 },
    },
  },
} as const;

export const llm = protocol({
  name: 'llm/v1',
  title: 'Language models',
  description: 'Asking a language model.',
  methods: {
    generate: {
      description: 'Go on from a prompt.',
      params: {
        prompt: { type: 'string', required: true },
        system: { type: 'string', description: 'how the model is to behave' },
        max_tokens: { type: 'integer', default: 100, minimum: 1 },
        ...asking,
      },
      returns: { type: 'object', required: ['text'], properties: answered },
      examples: [{ params: { prompt: 'Say hello.', max_tokens: 20 }, result: { text: 'Hello.' } }],
    },
    chat: {
      description: 'Answer the last message of a conversation.',
      params: {
        messages: {
          type: 'array',
          required: true,
          minItems: 1,
          items: {
            type: 'object',
            required: ['role', 'content'],
            properties: {
              role: { type: 'string' },
              content: { type: ['string', 'array', 'null'] },
            },
          },
        },
        max_tokens: { type: 'integer', minimum: 1 },
        tools: {
          type: 'array',
          items: { type: 'object' },
          description: 'what the model may call, as its API has it',
        },
        ...asking,
      },
      returns: {
        type: 'object',
        required: ['text'],
        properties: {
          ...answered,
          message: {
            type: 'object',
            properties: { role: { type: 'string' }, content: {} },
          },
        },
      },
      examples: [{ params: { messages: [{ role: 'user', content: 'Say hello.' }] } }],
    },
  },
});
