import { tsoOf } from "../../../topology/timestamps";
import type { KubernetesObject } from "../../kubernetes/object";
import type { Container, KubernetesFields } from "../../kubernetes/pod";
import { inKubernetes } from "../../kubernetes/shellQuote";
import type { BrCluster } from "../brCluster";
import { brJobName, jobOf } from "../job";
import { runFolder, withRunVolume } from "../runVolume";
import { storageOf } from "../storages";
import type { CompactBackupManifest } from "./spec";
import { tikvImage } from "./versions";

const storageFile = `${runFolder}/storage`;

/**
 * BR writes the storage in the form that tikv-ctl reads. It leaves keys out, so that none is in an argument: tikv-ctl reads them from its own
 * environment, as BR does. With BR_LOG_TO_TERM, BR would mix its log into its output.
 */
const storageScript = `set -eu
unset BR_LOG_TO_TERM
PATH="$PATH:/"
br "$@" > ${storageFile}
`;

/**
 * Runs tikv-ctl. It takes its lock off the storage when it is interrupted, but does not know TERM, with which Kubernetes ends a pod; a lock that
 * is left keeps BR from truncating the log.
 */
const compactScript = `set -eu
storage=$(cat ${storageFile})
PATH="$PATH:/"
trap 'kill -INT $!; wait $!' TERM
tikv-ctl "$@" --storage-base64 "$storage" &
wait $!
`;

/**
 * Renders the Job of a checked CompactBackup. tidb-operator's Job copies both programs out of their images and runs them by a third program
 * (cmd/backup-manager/app/compact/manager.go, pkg/controller/compactbackup); here each runs in its own image.
 */
export function compactJob(manifest: CompactBackupManifest, cluster: BrCluster): KubernetesObject {
    const { metadata, spec } = manifest;
    const args = ["operator", "base64ify", ...storageOf(spec).args];
    // Nothing asks the cluster, so its certificates are not needed.
    const job = jobOf(
        "CompactBackup",
        manifest,
        { ...cluster, tls: false },
        brJobName("CompactBackup", metadata.name),
        args,
    );
    const { template } = job.spec as {
        template: { spec: KubernetesFields & { containers: [Container & { args: string[] }] } };
    };
    const pod = withRunVolume(template.spec);
    const [br] = pod.containers;
    const run = (name: string, image: unknown, script: string, words: readonly string[]): object => ({
        ...br,
        name,
        image,
        command: ["/bin/sh", "-c"],
        args: [inKubernetes(script), name, ...words],
    });
    return {
        ...job,
        spec: {
            ...job.spec,
            template: {
                ...template,
                spec: {
                    ...pod,
                    initContainers: [run("storage", br.image, storageScript, br.args)],
                    containers: [run(br.name, tikvImage(spec, cluster), compactScript, ctlArguments(manifest))],
                },
            },
        },
    };
}

/** @returns the arguments of `tikv-ctl` but the storage, which are tidb-operator's: both times are numbers there. */
function ctlArguments({ spec: { startTs, endTs, concurrency = 4 } }: CompactBackupManifest): string[] {
    const [from, until] = [tsoOf(startTs), tsoOf(endTs)].map(String);
    return ["--log-level", "info", "compact-log-backup", "--from", from, "--until", until, "-N", String(concurrency)];
}
