import { stringify } from "yaml";
import { heldPodAnnotation } from "./heldPod";

/** How long a simulated pod takes to start and stop. */
export interface PodTimings {
    /** From being scheduled to Running and Ready. */
    startMilliseconds: number;
    /** From the stop request to being gone. */
    stopMilliseconds: number;
}

/** The default times. */
export const defaultPodTimings: PodTimings = { startMilliseconds: 150, stopMilliseconds: 100 };

/** A pod with an image of this tag never starts. The sandbox simulates with it an image that cannot be pulled. */
export const missingImageTag = "does-not-exist";

/** The condition of a pod that runs as processes of this machine. */
export const processCondition = "sandbox.pulumi-tidb.io/Process";

interface Stage {
    name: string;
    kind: "Pod" | "Node";
    selector: { key: string; operator: "In" | "NotIn" | "Exists" | "DoesNotExist"; values?: string[] }[];
    delayMilliseconds: number;
    next: { delete: true } | { statusTemplate: string };
}

const isReady = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const missingImage = `.spec.containers.[] | select( .image | endswith(":${missingImageTag}") ) | .name`;
const isOfJob = '.metadata.ownerReferences.[] | select( .kind == "Job" ) | .name';
const stays = { key: ".metadata.deletionTimestamp", operator: "DoesNotExist" } as const;

const addresses = `
{{ with NodeIPsWith .spec.nodeName }}
hostIP: {{ index . 0 | Quote }}
hostIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
{{ with PodIPsWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) }}
podIP: {{ index . 0 | Quote }}
podIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
`;

const initContainersDone = `
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ .image | Quote }}
  restartCount: 0
  ready: true
  {{ if eq ( or .restartPolicy "" ) "Always" }}
  started: true
  state: { running: { startedAt: {{ Now | Quote }} } }
  {{ else }}
  started: false
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }} } }
  {{ end }}
{{ end }}
`;

function conditions(ready: "True" | "False", detail: string): string {
    const others = ["Ready", "ContainersReady"].map(
        (type) => `- { type: ${type}, status: "${ready}", lastTransitionTime: {{ Now | Quote }}${detail} }`,
    );
    return [
        "conditions:",
        '- { type: PodReadyToStartContainers, status: "True", lastTransitionTime: {{ Now | Quote }} }',
        '- { type: Initialized, status: "True", lastTransitionTime: {{ Now | Quote }} }',
        ...others,
        "{{ range .spec.readinessGates }}",
        `- { type: {{ .conditionType | Quote }}, status: "${ready}", lastTransitionTime: {{ Now | Quote }} }`,
        "{{ end }}",
    ].join("\n");
}

const runningContainer = `
  imageID: {{ .image | Quote }}
  restartCount: 0
  ready: true
  started: true
  state: { running: { startedAt: {{ Now | Quote }} } }`;

const running = `
phase: Running
startTime: {{ Now | Quote }}
${conditions("True", "")}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}${runningContainer}
{{ end }}
${initContainersDone}
${addresses}
`;

const imageMissing = `
{{ $names := list }}
{{ range .spec.containers }}
{{ if hasSuffix ":${missingImageTag}" .image }}{{ $names = append $names .name }}{{ end }}
{{ end }}
phase: Pending
startTime: {{ Now | Quote }}
${conditions("False", ', reason: ContainersNotReady, message: {{ printf "containers with unready status: [%s]" ( join " " $names ) | Quote }}')}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  {{ if not ( hasSuffix ":${missingImageTag}" .image ) }}${runningContainer}
  {{ else }}
  imageID: ""
  restartCount: 0
  ready: false
  started: false
  state:
    waiting:
      reason: ImagePullBackOff
      message: {{ printf "Back-off pulling image %s: ErrImagePull: failed to resolve reference %s: not found" .image .image | Quote }}
  {{ end }}
{{ end }}
${initContainersDone}
${addresses}
`;

const nodeReady = `
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ Now | Quote }}
{{ end }}
`;

function stages(timings: PodTimings, processComponents: readonly string[]): Stage[] {
    const isPlayed: Stage["selector"] =
        processComponents.length === 0
            ? []
            : [
                  {
                      key: '.metadata.labels | select( .["app.kubernetes.io/name"] == "tidb-cluster" ) | .["app.kubernetes.io/component"]',
                      operator: "NotIn",
                      values: [...processComponents],
                  },
              ];
    const waiting: Stage["selector"][number] = { key: ".status.phase", operator: "In", values: ["Pending"] };
    return [
        {
            name: "pod-running",
            kind: "Pod",
            selector: [
                stays,
                waiting,
                { key: isReady, operator: "NotIn", values: ["True"] },
                { key: missingImage, operator: "DoesNotExist" },
                // The data plane runs these, and says what came of it.
                { key: isOfJob, operator: "DoesNotExist" },
                ...isPlayed,
            ],
            delayMilliseconds: timings.startMilliseconds,
            next: { statusTemplate: running },
        },
        {
            name: "pod-image-missing",
            kind: "Pod",
            selector: [
                stays,
                waiting,
                { key: missingImage, operator: "Exists" },
                { key: ".status.containerStatuses.[].state.waiting.reason", operator: "DoesNotExist" },
                ...isPlayed,
            ],
            delayMilliseconds: timings.startMilliseconds,
            next: { statusTemplate: imageMissing },
        },
        {
            name: "pod-gone",
            kind: "Pod",
            selector: [
                { key: ".metadata.deletionTimestamp", operator: "Exists" },
                { key: `.metadata.annotations["${heldPodAnnotation}"]`, operator: "DoesNotExist" },
                ...isPlayed,
            ],
            delayMilliseconds: timings.stopMilliseconds,
            next: { delete: true },
        },
        {
            name: "node-ready",
            kind: "Node",
            selector: [{ key: isReady, operator: "DoesNotExist" }],
            delayMilliseconds: 0,
            next: { statusTemplate: nodeReady },
        },
    ];
}

/**
 * Returns KWOK's configuration file: how pods and nodes start and stop, and how many KWOK handles at a time.
 * @param processComponents the components whose pods KWOK leaves alone, because they run as processes. Default: none.
 */
export function renderKwokConfiguration(
    timings: PodTimings = defaultPodTimings,
    processComponents: readonly string[] = [],
): string {
    const documents: object[] = [
        {
            apiVersion: "config.kwok.x-k8s.io/v1alpha1",
            kind: "KwokConfiguration",
            // KWOK applies no defaults here: an option that is left out is zero.
            options: {
                enableDebuggingHandlers: true,
                podPlayStageParallelism: 16,
                nodePlayStageParallelism: 4,
                nodeLeaseParallelism: 4,
                podsOnNodeSyncParallelism: 4,
            },
        },
        ...stages(timings, processComponents).map((stage) => ({
            apiVersion: "kwok.x-k8s.io/v1alpha1",
            kind: "Stage",
            metadata: { name: stage.name },
            spec: {
                resourceRef: { apiGroup: "v1", kind: stage.kind },
                selector: { matchExpressions: stage.selector },
                delay: { durationMilliseconds: stage.delayMilliseconds },
                next: stage.next,
            },
        })),
    ];
    return documents.map((document) => stringify(document)).join("---\n");
}
