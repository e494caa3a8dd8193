import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { installOnDebian, isInstalled } from '../services/debian.ts';
import { run } from '../services/process.ts';
import { languages, startAgent } from './start.ts';

// Each command of a README is run as it stands there, and prints what the README says.
it.each(languages)('the commands of the agent in %s do what its README says', async (language) => {
  if (!(await isInstalled('curl'))) await installOnDebian('curl', 'install curl');
  const page = await readFile(new URL(`../../agents/${language}/README.md`, import.meta.url), 'utf8');
  const agent = await startAgent(language);
  const commands = [...page.matchAll(/```sh\n(curl .*?)\n```\n\n```json\n(.*?)\n```/gs)];
  expect(commands.length).toBe(5);
  for (const [, command = '', answer = ''] of commands) {
    const printed = await run('sh', ['-c', command.replaceAll('http://127.0.0.1:9100/', agent.url)]);
    expect(shown(printed)).toBe(answer);
  }
  await agent.stop();
});

function shown(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
}
