import {
  closed,
  count,
  flag,
  listOf,
  mapOf,
  name,
  oneOf,
  path,
  port,
  portName,
  portOrName,
  quantity,
  text,
} from './words.ts';

export const labels = mapOf(text);
export const selector = closed({ matchLabels: labels });

const keyRef = closed({ name, key: text }, { optional: flag });
const variable = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
    value: { type: 'string' },
    valueFrom: { oneOf: [closed({ secretKeyRef: keyRef }), closed({ configMapKeyRef: keyRef })] },
  },
  additionalProperties: false,
  oneOf: [{ required: ['name', 'value'] }, { required: ['name', 'valueFrom'] }],
};

const timing = {
  initialDelaySeconds: count,
  periodSeconds: count,
  timeoutSeconds: count,
  failureThreshold: count,
  successThreshold: count,
};
const probe = {
  oneOf: [
    closed({ httpGet: closed({ path, port: portOrName }, { scheme: oneOf('HTTP', 'HTTPS') }) }, timing),
    closed({ tcpSocket: closed({ port: portOrName }) }, timing),
    closed({ exec: closed({ command: listOf(text) }) }, timing),
  ],
};

const amounts = closed({}, { cpu: quantity, memory: quantity });

const container = closed(
  { name, image: { type: 'string', pattern: '^[a-z0-9./_-]+:[\\w][\\w.-]*$' } },
  {
    command: listOf(text),
    args: listOf(text),
    ports: listOf(closed({ containerPort: port }, { name: portName, protocol: oneOf('TCP', 'UDP', 'SCTP') })),
    env: listOf(variable),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    resources: closed({}, { requests: amounts, limits: amounts }),
    securityContext: closed(
      {},
      {
        allowPrivilegeEscalation: flag,
        readOnlyRootFilesystem: flag,
        runAsNonRoot: flag,
        runAsUser: count,
        capabilities: closed({}, { drop: listOf(text), add: listOf(text) }),
      },
    ),
    volumeMounts: listOf(closed({ name, mountPath: path }, { subPath: text, readOnly: flag })),
  },
);

const volume = {
  oneOf: [
    closed({ name, configMap: closed({ name }) }),
    closed({ name, secret: closed({ secretName: name }) }),
    closed({ name, emptyDir: closed({}, { sizeLimit: quantity, medium: oneOf('', 'Memory') }) }),
  ],
};

/** What pods are made from. */
export const template = closed({
  metadata: closed({ labels }, { annotations: mapOf({ type: 'string' }) }),
  spec: closed(
    { containers: listOf(container) },
    {
      enableServiceLinks: flag,
      terminationGracePeriodSeconds: count,
      securityContext: closed(
        {},
        { runAsNonRoot: flag, runAsUser: count, runAsGroup: count, fsGroup: count },
      ),
      volumes: listOf(volume),
    },
  ),
});
