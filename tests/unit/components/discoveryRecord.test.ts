import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { objectOf, type OpenManifest } from "./manifests";

// The operator notes on the Deployment the pod that it makes, as Go writes it: fields in the order of Kubernetes' types
// (core/v1), a map's keys by name (tidb-operator pkg/manager/member/tidb_discovery_manager.go).

function record(change: (manifest: OpenManifest) => void): string {
    const { annotations } = objectOf("Deployment/shop-discovery", change).metadata;
    return annotations?.["pingcap.com/last-applied-podtemplate"] as string;
}

const ofCluster =
    (fields: object) =>
    ({ spec }: OpenManifest) =>
        Object.assign(spec, fields);
const ofDiscovery = (discovery: object) => ofCluster({ discovery });

describe("the operator's record of discovery's pod", () => {
    const cases: [string, (manifest: OpenManifest) => void, string][] = [
        [
            "a toleration: key, operator, value, effect",
            ofCluster({ tolerations: [{ effect: "NoSchedule", value: "db", operator: "Equal", key: "for" }] }),
            '"tolerations":[{"key":"for","operator":"Equal","value":"db","effect":"NoSchedule"}]',
        ],
        [
            "a pod's security context: user before group",
            ofCluster({ podSecurityContext: { fsGroup: 2, runAsUser: 1 } }),
            '"securityContext":{"runAsUser":1,"fsGroup":2}',
        ],
        [
            "a wish for other nodes: weight first, selector before topology",
            ofCluster({
                affinity: {
                    podAntiAffinity: {
                        preferredDuringSchedulingIgnoredDuringExecution: [
                            {
                                podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: { b: "1" } } },
                                weight: 5,
                            },
                        ],
                    },
                },
            }),
            '[{"weight":5,"podAffinityTerm":{"labelSelector":{"matchLabels":{"b":"1"}},"topologyKey":"zone"}}]',
        ],
        ["an empty object from the spec", ofCluster({ affinity: {} }), '"affinity":{}'],
        [
            "a probe: its request before its timing",
            ofDiscovery({ readinessProbe: { periodSeconds: 7, initialDelaySeconds: 5 } }),
            '"readinessProbe":{"tcpSocket":{"port":10261},"initialDelaySeconds":5,"periodSeconds":7}',
        ],
        [
            "another container: with resources, if none",
            ofDiscovery({ additionalContainers: [{ image: "i:1", name: "side" }] }),
            '{"name":"side","image":"i:1","resources":{}}]',
        ],
        [
            "an init container: the same",
            ofDiscovery({ initContainers: [{ image: "i:1", name: "first" }] }),
            '"initContainers":[{"name":"first","image":"i:1","resources":{}}]',
        ],
        [
            "a source of variables: its prefix first",
            ofDiscovery({ envFrom: [{ configMapRef: { optional: true, name: "c" }, prefix: "P_" }] }),
            '"envFrom":[{"prefix":"P_","configMapRef":{"name":"c","optional":true}}]',
        ],
        [
            "no image of the spec",
            ofDiscovery({ image: "mine:1" }),
            '{"containers":[{"name":"discovery","image":"pingcap/tidb-operator:latest",',
        ],
        [
            "the image and the variables of a container of the same name, the latter first",
            ofDiscovery({
                additionalContainers: [{ name: "discovery", image: "mine:1", env: [{ name: "X", value: "y" }] }],
            }),
            '"image":"mine:1","command":["/usr/local/bin/tidb-discovery"],',
        ],
        [
            "volumes: the user's before those of certificates",
            ofCluster({
                tlsCluster: { enabled: true },
                discovery: { additionalVolumes: [{ name: "own", emptyDir: {} }] },
            }),
            '{"volumes":[{"name":"own","emptyDir":{}},{"name":"pd-tls","secret":{"secretName":"shop-pd-cluster-secret"}}],',
        ],
        [
            "a token that is mounted by hand",
            ofDiscovery({ automountServiceAccountToken: false }),
            '{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}',
        ],
    ];
    for (const [title, change, part] of cases) {
        it(`has ${title}`, () => assert.ok(record(change).includes(part), record(change)));
    }

    it("has a merged container's own variables first and those of certificates last", () => {
        const text = record(
            ofCluster({
                tlsCluster: { enabled: true },
                discovery: {
                    env: [{ name: "U", value: "1" }],
                    additionalContainers: [{ name: "discovery", image: "mine:1", env: [{ name: "X", value: "y" }] }],
                },
            }),
        );
        const [container] = JSON.parse(text).containers as KubernetesFields[];
        assert.deepEqual(
            container.env.map(({ name }: KubernetesFields) => name),
            ["X", "MY_POD_NAMESPACE", "TZ", "TC_NAME", "U", "TC_TLS_ENABLED"],
        );
    });
});
