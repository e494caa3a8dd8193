import { type Browser, chromium } from 'playwright-core';

/** Looks the same on every machine, and speaks to nobody by itself. */
const flags = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags });
}
