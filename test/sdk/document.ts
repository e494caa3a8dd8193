/** The blocks of TypeScript on a page, one after the other, as one program for that server. */
export function documentProgram(page: string, { url, sdk }: { url: string; sdk: string }): string {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '');
  return blocks.join('\n').replaceAll('http://127.0.0.1:8000', url).replace("'gleitzeit/sdk'", `'${sdk}'`);
}
