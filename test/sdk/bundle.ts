import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** A file and all it imports as one, for browsers. What it would import at run time is told as `imports`. */
export async function bundle(file: URL): Promise<{ code: string; imports: readonly string[] }> {
  const built = await rolldown({ input: fileURLToPath(file), platform: 'browser', logLevel: 'silent' });
  try {
    const { output } = await built.generate({ format: 'esm', minify: true });
    const [chunk] = output;
    return { code: chunk.code, imports: output.flatMap((each) => ('imports' in each ? each.imports : [])) };
  } finally {
    await built.close();
  }
}
