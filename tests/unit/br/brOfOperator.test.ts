import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { brJob } from "../../../components/br/job";
import type { BrKind, BrManifest } from "../../../components/br/spec";
import { versionProblems } from "../../../components/br/versions";
import type { EnvironmentVariable, KubernetesFields } from "../../../components/kubernetes/pod";

/** Facts of a Job. Those of tidb-operator were taken from its own functions: see the comment of `cases`. */
interface JobFacts {
    name: string;
    namespace: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    backoffLimit: number;
    /** Image of BR. */
    image: string;
    container: { name: string; env: EnvironmentVariable[]; volumeMounts?: KubernetesFields[]; resources?: object };
    pod: KubernetesFields;
}

interface OperatorCase {
    name: string;
    manifest: { kind: BrKind; metadata: { name: string; namespace: string }; spec: KubernetesFields };
    cluster: { version: string; tls: boolean };
    refused?: string;
    argv?: string[];
    job?: JobFacts;
}

/**
 * What tidb-operator v1.6.6 makes of manifests: whether `ValidateBackup` and `ValidateRestore` refuse them, the arguments with which its
 * job program starts `br` (`backupData`, `restoreData`, with a recording program in the place of `br`), and its Job
 * (`makeBRBackupJob`, `makeRestoreJob`).
 */
const cases = JSON.parse(
    readFileSync(join(__dirname, "../../fixtures/brOfOperator.json"), "utf8"),
) as Required<OperatorCase>[];

/** Variables that the operator sets for rclone, or for its own program. */
const rclone = [
    "S3_PROVIDER",
    "S3_ENDPOINT",
    "AWS_ACL",
    "AWS_STORAGE_CLASS",
    "GCS_PROJECT_ID",
    "GCS_OBJECT_ACL",
    "GCS_BUCKET_ACL",
    "GCS_LOCATION",
    "GCS_STORAGE_CLASS",
    "AZURE_ACCESS_TIER",
];

const azureKeys = ["AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_STORAGE_KEY", "AZURE_TENANT_ID"];

/** Each way in which this package's Job differs on purpose, as a change of the operator's. docs/differences.md lists the same. */
const differences: Readonly<Record<string, (facts: JobFacts, spec: KubernetesFields) => void>> = {
    "BR runs in its own image, so nothing is copied into a shared folder": ({ container, pod }) => {
        container.volumeMounts = container.volumeMounts?.filter(({ name }) => name !== "br-bin");
        pod.volumes = (pod.volumes as KubernetesFields[]).filter(({ name }) => name !== "br-bin");
    },
    "the pod has the namespace's default service account": ({ pod }, spec) => {
        if (spec.serviceAccount === undefined) {
            delete pod.serviceAccountName;
        }
    },
    "BR gets no token of the service account if the manifest wants none": ({ container, pod }, spec) => {
        if (spec.automountServiceAccountToken === false) {
            container.volumeMounts = container.volumeMounts?.filter(({ name }) => name !== "kube-api-access");
            pod.volumes = (pod.volumes as KubernetesFields[]).filter(({ name }) => name !== "kube-api-access");
        }
    },
    "variables for rclone are left out": ({ container }) => {
        container.env = container.env.filter(({ name }) => !rclone.includes(name));
    },
    "a region that is not set is left out": ({ container }, spec) => {
        container.env = container.env.filter(
            ({ name, value }) => name !== "AWS_REGION" || Boolean(value ?? spec.s3?.region),
        );
    },
    "BR_LOG_TO_TERM is 1": ({ container }) => {
        container.env.filter(({ name }) => name === "BR_LOG_TO_TERM").forEach((one) => (one.value = "1"));
    },
    "Google's key is a mounted file": ({ container, pod }, spec) => {
        const key = container.env.find(({ name }) => name === "GCS_SERVICE_ACCOUNT_JSON_KEY");
        if (key !== undefined) {
            container.env = container.env.filter((one) => one !== key);
            container.env.push({
                name: "GOOGLE_APPLICATION_CREDENTIALS",
                value: "/var/lib/gcs-credentials/credentials.json",
            });
            container.volumeMounts?.push({
                name: "gcs-credentials",
                mountPath: "/var/lib/gcs-credentials",
                readOnly: true,
            });
            const secret = {
                secretName: spec.gcs.secretName,
                items: [{ key: "credentials", path: "credentials.json" }],
            };
            pod.volumes.push({ name: "gcs-credentials", secret });
        }
    },
    "which of its two kinds of keys Azure's Secret has is left to Kubernetes": ({ container }, spec) => {
        const secret = (spec.azblob as KubernetesFields | undefined)?.secretName as string | undefined;
        if (secret !== undefined) {
            container.env = container.env.filter(({ name }) => !azureKeys.includes(name));
            container.env.push(
                ...azureKeys.map((key) => ({
                    name: key,
                    valueFrom: { secretKeyRef: { name: secret, key, optional: true } },
                })),
            );
        }
    },
    "Azure's account is read from the Secret by Kubernetes": ({ container }, spec) => {
        const azblob = spec.azblob as KubernetesFields | undefined;
        if (azblob?.storageAccount === undefined && azblob !== undefined) {
            const key = "AZURE_STORAGE_ACCOUNT";
            container.env = container.env.filter(({ name }) => name !== key);
            const secret = azblob.secretName as string;
            container.env.push({ name: key, valueFrom: { secretKeyRef: { name: secret, key } } });
        }
    },
    "the manager is pulumi-tidb": ({ labels }) => {
        labels["app.kubernetes.io/managed-by"] = "pulumi-tidb";
    },
};

describe("a Backup or Restore, beside tidb-operator's", () => {
    const used = new Set<string>();

    for (const { name, manifest, cluster, refused, argv, job } of cases) {
        const { kind, metadata, spec } = manifest;
        const facts: BrCluster = {
            name: String((spec.br as KubernetesFields).cluster),
            namespace: String(spec.br.clusterNamespace ?? metadata.namespace),
            ...cluster,
        };
        if (refused !== undefined) {
            it(`refuses ${name}, as the operator does: ${refused}`, () => {
                assert.throws(() => {
                    const checked = checkBr(kind, manifest);
                    assert.deepEqual(versionProblems(kind, checked.spec.toolImage, facts), []);
                });
            });
            continue;
        }
        // tidb-operator starts BR, which refuses it in the Job: it has no key to send to TiKV.
        const lacksKey = spec.gcs !== undefined && (spec.gcs as KubernetesFields).secretName === undefined;
        if (lacksKey) {
            it(`refuses ${name} before the Job, as BR does in it`, () => {
                assert.throws(() => checkBr(kind, manifest), {
                    message: /spec\.br\.sendCredToTikv: found nothing, expected false without spec\.gcs\.secretName/,
                });
            });
        }
        it(`has the same arguments of br and the same Job for ${name}`, () => {
            const flag = "--send-credentials-to-tikv=false";
            const own = lacksKey
                ? { ...manifest, spec: { ...spec, br: { ...spec.br, sendCredToTikv: false } } }
                : manifest;
            const checked = checkBr(kind, own);
            assert.deepEqual(versionProblems(kind, checked.spec.toolImage, facts), []);
            const ours = factsOf(brJob(kind, checked as BrManifest, facts));
            const expected = structuredClone(job);
            for (const [difference, change] of Object.entries(differences)) {
                const before = JSON.stringify(expected);
                change(expected, spec);
                if (JSON.stringify(expected) !== before) {
                    used.add(difference);
                }
            }
            assert.deepEqual(
                ours.argv,
                lacksKey ? argv.flatMap((one) => (one.startsWith("--storage=") ? [flag, one] : [one])) : argv,
            );
            assert.deepEqual(ours.job, sorted(expected));
        });
    }

    it("has no difference on its list that none of these manifests shows", () => {
        assert.deepEqual([...used].sort(), Object.keys(differences).sort());
    });
});

/** Undoes the only change of the arguments: Kubernetes turns `$$` into one dollar. */
function factsOf({ metadata, spec }: KubernetesFields): { argv: string[]; job: JobFacts } {
    const { template, backoffLimit } = spec as KubernetesFields;
    const { containers, ...pod } = template.spec as KubernetesFields;
    const [{ name, env, volumeMounts, resources, image, args, command, imagePullPolicy }] = containers;
    assert.deepEqual([command, imagePullPolicy], [["/br"], "IfNotPresent"]);
    assert.deepEqual(template.metadata.labels, metadata.labels);
    const { labels, annotations, namespace } = metadata as JobFacts;
    return {
        argv: (args as string[]).map((one) => one.replaceAll("$$", "$")),
        job: sorted({
            name: metadata.name as string,
            namespace,
            labels,
            ...(annotations === undefined ? {} : { annotations }),
            backoffLimit,
            image,
            container: { name, env, volumeMounts, resources },
            pod,
        }),
    };
}

/** The order of variables, volumes and mounts has no effect, because their names differ. */
function sorted(facts: JobFacts): JobFacts {
    const byName = (list: { name: string }[] = []) => [...list].sort((one, other) => (one.name < other.name ? -1 : 1));
    const { container, pod, ...rest } = facts;
    return JSON.parse(
        JSON.stringify({
            ...rest,
            container: {
                ...container,
                env: byName(container.env),
                volumeMounts: byName(container.volumeMounts as { name: string }[]),
            },
            pod: { ...pod, volumes: byName(pod.volumes as { name: string }[]) },
        }),
    ) as JobFacts;
}
