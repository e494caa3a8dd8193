import { completionScripts, shells } from '../completion/scripts.ts';
import type { Invocation } from '../spec.ts';

/** The script that teaches a shell to ask us what fits. */
export async function completion({ arguments: [named], io }: Invocation): Promise<void> {
  const shell = shells.find((one) => one === named) ?? 'bash';
  const script = completionScripts[shell];
  await io.emit({ shell, script }, { table: () => script, names: [shell] });
}
