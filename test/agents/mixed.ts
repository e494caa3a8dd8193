import type { Language } from './start.ts';

const after = (...dependencies: string[]) => ({ dependencies });

/** Five steps over three agents, each in a language of its own. */
export function mixedWorkflow(words: string, named: (language: Language) => string = (language) => language) {
  const [python, node, go] = [named('python'), named('node'), named('go')];
  return {
    name: 'mixed',
    tasks: [
      { id: 'shout', agent: python, input: `upper: ${words}` },
      { id: 'mirror', agent: node, input: { text: 'reverse: ${shout.result.text}' }, ...after('shout') },
      { id: 'back', agent: go, input: { text: 'reverse: ${mirror.result.text}' }, ...after('mirror') },
      { id: 'count', agent: python, input: { query: 'wordcount: ${back.result.text}' }, ...after('back') },
      {
        id: 'say',
        agent: go,
        input: 'echo: ${back.result.text} (${count.result.text})',
        ...after('back', 'count'),
      },
    ],
  };
}

/** What each of its steps says of the words "one two three". */
export const mixedTexts = {
  shout: 'ONE TWO THREE',
  mirror: 'EERHT OWT ENO',
  back: 'ONE TWO THREE',
  count: '3',
  say: 'ONE TWO THREE (3)',
};
