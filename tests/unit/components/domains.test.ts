import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { sampleCluster, withValue } from "../../support/sampleFields";
import { problemsOf } from "./manifests";

const errorsOf = (manifest: KubernetesFields): string[] =>
    problemsOf(manifest)
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => message);

const domainRule = "a DNS name in lower case, such as cluster.local";
const labelRule = "a DNS label of at most 63 characters";
const sysctlRule = "the name of a kernel parameter, such as net.core.somaxconn";

describe("names that start scripts use", () => {
    const refused: readonly [field: string, value: string, rule: string][] = [
        ...[
            "cluster.local$(touch pwned)",
            "a b",
            "a;b",
            "-a.b",
            "a..b",
            ".",
            "Cluster.local",
            `${"a".repeat(254)}`,
        ].map((value): [string, string, string] => ["spec.clusterDomain", value, domainRule]),
        ["spec.cluster.clusterDomain", "one.example`id`", domainRule],
        ["spec.cluster.name", "first;id", labelRule],
        ["spec.cluster.namespace", "a.b", labelRule],
        ...["a;b", "net.core.", "a b=1", "-w", "a\nb"].flatMap((value): [string, string, string][] => [
            ["spec.podSecurityContext.sysctls[0].name", value, sysctlRule],
            ["spec.tikv.podSecurityContext.sysctls[0].name", value, sysctlRule],
        ]),
    ];
    for (const [field, value, rule] of refused) {
        it(`${field} ${JSON.stringify(value).slice(0, 40)} is refused, by its field, before an object has it`, () => {
            const needed = field.startsWith("spec.cluster.")
                ? withValue(sampleCluster(), "spec.cluster.name", "first")
                : withValue(sampleCluster(), field.replace(/\[0\].*/, "[].value"), "1");
            const cluster = field === "spec.clusterDomain" ? sampleCluster() : needed;
            const errors = errorsOf(withValue(cluster, field.replace("[0]", "[]"), value));
            assert.equal(errors.length, 1, errors.join("\n"));
            assert.ok(errors[0].startsWith(`${field}: found `) && errors[0].endsWith(`expected ${rule}`), errors[0]);
        });
    }

    it("accepts what tidb-operator and Kubernetes accept", () => {
        const accepted: readonly [field: string, value: string][] = [
            ...["", "cluster.local", "cluster.local.", "1.example", "a-b.c"].map((value): [string, string] => [
                "spec.clusterDomain",
                value,
            ]),
            ...["net.core.somaxconn", "kernel.shm_rmid_forced", "net/ipv4/conf/eth0.100/rp_filter"].map(
                (value): [string, string] => ["spec.tikv.podSecurityContext.sysctls[].name", value],
            ),
        ];
        for (const [field, value] of accepted) {
            const cluster = field.includes("sysctls")
                ? withValue(sampleCluster(), field.replace("name", "value"), "1024 65535")
                : sampleCluster();
            assert.deepEqual(errorsOf(withValue(cluster, field, value)), [], value);
        }
    });
});
