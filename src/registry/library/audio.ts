import { protocol } from '../typed.ts';

export const audio = protocol({
  name: 'audio/v1',
  title: 'Audio',
  description: 'Turning speech into text.',
  methods: {
    transcribe: {
      description: 'Write down what is said.',
      params: {
        audio: {
          type: 'object',
          required: true,
          description: '`{url}`, or `{data, media_type}` with the bytes in base64',
          properties: {
            url: { type: 'string', pattern: '^https?://' },
            data: { type: 'string', contentEncoding: 'base64' },
            media_type: { type: 'string', pattern: '^(?:audio|video)/' },
          },
          oneOf: [{ required: ['url'] }, { required: ['data', 'media_type'] }],
          additionalProperties: false,
        },
        language: {
          type: 'string',
          description: 'what is spoken, such as `en`; found out where it is left out',
        },
        model: { type: 'string' },
      },
      returns: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string' },
          language: { type: ['string', 'null'] },
          duration: { type: ['number', 'null'], description: 'seconds' },
        },
      },
      examples: [{ params: { audio: { url: 'https://example.org/talk.mp3' }, language: 'en' } }],
    },
  },
});
