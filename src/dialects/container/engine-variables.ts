/** What of our environment the engine's own program needs to find its engine. Nothing of it reaches the container. */
export const engineVariables = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'CONTAINERS_REGISTRIES_CONF',
  'REGISTRY_AUTH_FILE',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** What the engine's own program goes by: with other values it would not find its engine, or its images. */
const engineNeeds = new Set(['PATH', 'HOME', 'LANG', 'TMPDIR', ...engineVariables]);

export function isEngines(name: string): boolean {
  return engineNeeds.has(name);
}
