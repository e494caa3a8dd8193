import { exists, installOnDebian } from './debian.ts';

const program = '/usr/bin/chromium';
const remedy = 'install Chromium, or name its program in GLEITZEIT_TEST_CHROMIUM';

/** The program of the browser; on Debian it is installed when missing. */
export async function chromiumProgram(): Promise<string> {
  const given = process.env['GLEITZEIT_TEST_CHROMIUM'];
  if (given !== undefined && given !== '') return given;
  if (await exists(program)) return program;
  await installOnDebian('chromium', remedy);
  return program;
}
