/**
 * The fields of Kubernetes' types in the order of its Go types (Kubernetes API reference, core/v1). tidb-operator writes a
 * pod as JSON in this order.
 */
const securityContext = [
    ...["capabilities", "privileged", "seLinuxOptions", "windowsOptions", "runAsUser", "runAsGroup", "runAsNonRoot"],
    ...["readOnlyRootFilesystem", "allowPrivilegeEscalation", "procMount", "supplementalGroups", "fsGroup"],
    ...["sysctls", "fsGroupChangePolicy", "seccompProfile"],
];
const handler = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const probe = [
    ...handler,
    ...["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"],
    "terminationGracePeriodSeconds",
];
const httpGet = ["path", "port", "host", "scheme", "httpHeaders"];
const container = [
    ...["name", "image", "command", "args", "workingDir", "ports", "envFrom", "env", "resources", "resizePolicy"],
    ...["restartPolicy", "volumeMounts", "volumeDevices", "livenessProbe", "readinessProbe", "startupProbe"],
    ...["lifecycle", "terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy", "securityContext"],
    ...["stdin", "stdinOnce", "tty"],
];
const keyReference = ["name", "key", "optional"];
const requiredAndPreferred = [
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
];
const podAffinityTerm = ["labelSelector", "namespaces", "topologyKey", "namespaceSelector"];
const expression = ["key", "operator", "values"];
const namedFile = ["key", "path", "mode"];

/** The fields of a type, by the name of the field that has the type. A type with several such fields is listed several times. */
export const fieldOrders: Readonly<Record<string, readonly string[]>> = {
    containers: container,
    initContainers: container,
    ports: ["name", "hostPort", "containerPort", "protocol", "hostIP"],
    envFrom: ["prefix", "configMapRef", "secretRef"],
    configMapRef: ["name", "optional"],
    secretRef: ["name", "optional"],
    env: ["name", "value", "valueFrom"],
    valueFrom: ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"],
    fieldRef: ["apiVersion", "fieldPath"],
    configMapKeyRef: keyReference,
    secretKeyRef: keyReference,
    resources: ["limits", "requests", "claims"],
    volumeMounts: ["name", "readOnly", "mountPath", "subPath", "mountPropagation", "subPathExpr"],
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    lifecycle: ["postStart", "preStop"],
    postStart: handler,
    preStop: handler,
    httpGet,
    tcpSocket: ["port", "host"],
    grpc: ["port", "service"],
    securityContext,
    capabilities: ["add", "drop"],
    seccompProfile: ["type", "localhostProfile"],
    seLinuxOptions: ["user", "role", "type", "level"],
    sysctls: ["name", "value"],
    volumes: [
        "name",
        "hostPath",
        "emptyDir",
        "secret",
        "persistentVolumeClaim",
        "downwardAPI",
        "configMap",
        "projected",
    ],
    hostPath: ["path", "type"],
    emptyDir: ["medium", "sizeLimit"],
    secret: ["secretName", "name", "items", "defaultMode", "optional"],
    configMap: ["name", "items", "defaultMode", "optional"],
    persistentVolumeClaim: ["claimName", "readOnly"],
    projected: ["sources", "defaultMode"],
    sources: ["secret", "downwardAPI", "configMap", "serviceAccountToken"],
    serviceAccountToken: ["audience", "expirationSeconds", "path"],
    items: namedFile,
    affinity: ["nodeAffinity", "podAffinity", "podAntiAffinity"],
    nodeAffinity: requiredAndPreferred,
    podAffinity: requiredAndPreferred,
    podAntiAffinity: requiredAndPreferred,
    requiredDuringSchedulingIgnoredDuringExecution: ["nodeSelectorTerms", ...podAffinityTerm],
    preferredDuringSchedulingIgnoredDuringExecution: ["weight", "preference", "podAffinityTerm"],
    podAffinityTerm,
    preference: ["matchExpressions", "matchFields"],
    nodeSelectorTerms: ["matchExpressions", "matchFields"],
    matchExpressions: expression,
    matchFields: expression,
    labelSelector: ["matchLabels", "matchExpressions"],
    namespaceSelector: ["matchLabels", "matchExpressions"],
    tolerations: ["key", "operator", "value", "effect", "tolerationSeconds"],
    dnsConfig: ["nameservers", "searches", "options"],
    options: ["name", "value"],
    topologySpreadConstraints: [
        ...["maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "minDomains", "nodeAffinityPolicy"],
        ...["nodeTaintsPolicy", "matchLabelKeys"],
    ],
};

/** The fields of a pod. */
export const podFieldOrder: readonly string[] = [
    ...["volumes", "initContainers", "containers", "restartPolicy", "terminationGracePeriodSeconds", "dnsPolicy"],
    ...["nodeSelector", "serviceAccountName", "automountServiceAccountToken", "hostNetwork", "securityContext"],
    ...["imagePullSecrets", "affinity", "schedulerName", "tolerations", "priorityClassName", "dnsConfig"],
    "topologySpreadConstraints",
];
