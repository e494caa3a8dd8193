import { dirname } from 'node:path';

/** Where npm finds packages. What else it says to programs it starts is about the project that it started them for. */
const npmSettings = /^npm_config_(registry|cache|userconfig|cafile|proxy|https_proxy|noproxy)$/;
const ours = /^(npm_|GLEITZEIT_|VITEST|NODE_|DATABASE_URL$)/;

/** A reader's environment: the Node of this project, an npm that keeps to the point, and nothing of ours that would be felt. */
export function readersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => npmSettings.test(name) || !ours.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), process.env['PATH']].join(':'),
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
  };
}
