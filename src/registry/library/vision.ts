import { protocol } from '../typed.ts';

/** By address, or the bytes themselves. */
const image = {
  type: 'object',
  required: true,
  description: '`{url}`, or `{data, media_type}` with the bytes in base64',
  properties: {
    url: { type: 'string', pattern: '^https?://' },
    data: { type: 'string', contentEncoding: 'base64' },
    media_type: { type: 'string', pattern: '^image/' },
  },
  oneOf: [{ required: ['url'] }, { required: ['data', 'media_type'] }],
  additionalProperties: false,
} as const;

export const vision = protocol({
  name: 'vision/v1',
  title: 'Vision',
  description: 'Looking at images.',
  methods: {
    analyze: {
      description: 'Say what an image shows.',
      params: {
        image,
        prompt: { type: 'string', description: 'what to look for; only for models that can be asked' },
        model: { type: 'string' },
        max_tokens: { type: 'integer', minimum: 1 },
      },
      returns: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string' },
          labels: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, score: { type: ['number', 'null'] } },
            },
          },
        },
      },
      examples: [{ params: { image: { url: 'https://example.org/cat.png' } } }],
    },
    read_text: {
      description: 'Read the text in an image.',
      params: { image, model: { type: 'string' } },
      returns: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      examples: [{ params: { image: { url: 'https://example.org/page.png' } } }],
    },
  },
});
