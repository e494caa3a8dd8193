import { labels, selector, template } from './pod.ts';
import {
  closed,
  count,
  flag,
  listOf,
  mapOf,
  name,
  oneOf,
  port,
  portName,
  portOrName,
  quantity,
  type Shape,
  text,
} from './words.ts';

const metadata = closed({ name }, { labels, annotations: mapOf({ type: 'string' }), namespace: name });
const countOrShare = { anyOf: [count, { type: 'string', pattern: '^[0-9]+%$' }] };

const strategy = closed(
  { type: oneOf('RollingUpdate', 'Recreate') },
  { rollingUpdate: closed({}, { maxUnavailable: countOrShare, maxSurge: countOrShare }) },
);

const claim = closed({
  metadata: closed({ name }),
  spec: closed(
    {
      accessModes: listOf(oneOf('ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany')),
      resources: closed({ requests: closed({ storage: quantity }) }),
    },
    { storageClassName: name },
  ),
});

const scaling = closed({
  type: oneOf('Resource'),
  resource: closed({
    name: oneOf('cpu', 'memory'),
    target: closed({ type: oneOf('Utilization'), averageUtilization: count }),
  }),
});
const scalingRules = closed({}, { stabilizationWindowSeconds: count });

/** `data` stands beside `metadata`, not in a `spec`. */
const configMap: Shape = closed({
  apiVersion: oneOf('v1'),
  kind: oneOf('ConfigMap'),
  metadata,
  data: mapOf(text),
});

function kindOf(apiVersion: string, kind: string, spec: Shape): Shape {
  return closed({ apiVersion: oneOf(apiVersion), kind: oneOf(kind), metadata, spec });
}

/** Every kind that may stand in a manifest of ours; a Secret may only be referred to. */
export const kinds: Readonly<Record<string, Shape>> = {
  ConfigMap: configMap,
  Service: kindOf(
    'v1',
    'Service',
    closed(
      { selector: labels, ports: listOf(closed({ port }, { name: portName, targetPort: portOrName })) },
      { clusterIP: oneOf('None'), publishNotReadyAddresses: flag, type: oneOf('ClusterIP', 'LoadBalancer') },
    ),
  ),
  Deployment: kindOf('apps/v1', 'Deployment', closed({ selector, template }, { replicas: count, strategy })),
  StatefulSet: kindOf(
    'apps/v1',
    'StatefulSet',
    closed(
      { serviceName: name, selector, template },
      { replicas: count, volumeClaimTemplates: listOf(claim) },
    ),
  ),
  PodDisruptionBudget: kindOf(
    'policy/v1',
    'PodDisruptionBudget',
    closed({ selector }, { maxUnavailable: countOrShare, minAvailable: countOrShare }),
  ),
  HorizontalPodAutoscaler: kindOf(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    closed(
      {
        scaleTargetRef: closed({ apiVersion: text, kind: text, name }),
        maxReplicas: count,
        metrics: listOf(scaling),
      },
      { minReplicas: count, behavior: closed({}, { scaleUp: scalingRules, scaleDown: scalingRules }) },
    ),
  ),
};
