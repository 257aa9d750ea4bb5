import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import type { Container, KubernetesFields } from "../../../components/kubernetes/pod";
import { refusedFields } from "../../support/refusedFields";

type Fields = Record<string, unknown>;

const s3 = { provider: "aws", region: "us-west-1", bucket: "backups", prefix: "log", secretName: "s3-secret" };
const times = { startTs: "400036290571534337", endTs: "400036390571534337" };
const cluster: BrCluster = { name: "basic", namespace: "db", version: "v8.5.5", tls: false };

function rendered(spec: Fields, of: Partial<BrCluster> = {}, name = "log") {
    const manifest = checkBr("CompactBackup", {
        metadata: { name, namespace: "db" },
        spec: { ...times, br: { cluster: "basic" }, ...spec },
    });
    const { job, does, url } = renderBr("CompactBackup", manifest, { ...cluster, ...of });
    const { template, backoffLimit } = job.spec as { template: { spec: Pod }; backoffLimit: number };
    return { job, does, url, backoffLimit, pod: template.spec };
}

interface Pod extends KubernetesFields {
    initContainers: [Container & { args: string[] }];
    containers: [Container & { args: string[] }];
}

/** What the shell gets after its script and the name of the container. */
const words = ({ args }: { args: string[] }) => args.slice(2);

describe("CompactBackup", () => {
    const s3Args = ["--storage=s3://backups/log", "--s3.region=us-west-1", "--s3.provider=aws"];
    const azblob = { container: "backups", prefix: "log", storageAccount: "account", secretName: "azure-secret" };
    const local = { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: "/nfs" }, prefix: "log" };

    /** tidb-operator v1.6.6: base64ifyCmd and compactCmd in cmd/backup-manager/app/compact/manager.go. */
    for (const [what, spec, storage, ctl] of [
        ["S3 and TSOs", { s3 }, s3Args, ["400036290571534337", "400036390571534337", "4"]],
        [
            "dates, as TSOs",
            { s3, startTs: "2026-05-11 01:42:23+0800", endTs: "2026-05-10 17:42:24Z", concurrency: 8 },
            s3Args,
            [String(1778434943000n << 18n), String(1778434944000n << 18n), "8"],
        ],
        ["a volume", { local }, ["--storage=local:///nfs/log"], ["400036290571534337", "400036390571534337", "4"]],
        [
            "Azure",
            { azblob },
            ["--storage=azure://backups/log/?account-name=account"],
            ["400036290571534337", "400036390571534337", "4"],
        ],
        [
            "GCS",
            { gcs: { projectId: "p", bucket: "backups", prefix: "log", secretName: "gcs" } },
            ["--storage=gcs://backups/log/"],
            ["400036290571534337", "400036390571534337", "4"],
        ],
    ] as const) {
        it(`gives BR and tikv-ctl the arguments of tidb-operator: ${what}`, () => {
            const { pod } = rendered(spec);
            assert.deepEqual(words(pod.initContainers[0]), ["operator", "base64ify", ...storage]);
            const [from, until, concurrency] = ctl;
            assert.deepEqual(words(pod.containers[0]), [
                ...["--log-level", "info", "compact-log-backup"],
                ...["--from", from, "--until", until, "-N", concurrency],
            ]);
        });
    }

    it("is one Job that Kubernetes does not start again, in the images of the cluster's version, without the keys in its arguments", () => {
        const { job, does, url, backoffLimit, pod } = rendered(
            { s3 },
            { tikvImage: "registry/tikv:v8.5.5", tls: true },
        );
        assert.deepEqual([job.metadata.name, backoffLimit, pod.restartPolicy], ["compactbackup-log", 0, "Never"]);
        const [storage, compact] = [pod.initContainers[0], pod.containers[0]];
        assert.deepEqual([storage.image, compact.image], ["pingcap/br:v8.5.5", "registry/tikv:v8.5.5"]);
        for (const { env } of [storage, compact]) {
            const keys = (env as { name: string; valueFrom?: object }[]).filter(({ name }) => name.includes("KEY"));
            assert.deepEqual(
                keys.map(({ valueFrom }) => valueFrom),
                [
                    { secretKeyRef: { name: "s3-secret", key: "access_key" } },
                    { secretKeyRef: { name: "s3-secret", key: "secret_key" } },
                ],
            );
        }
        assert.ok(!storage.args.includes("--load-creds"));
        assert.deepEqual(
            (pod.volumes as Fields[]).map(({ name }) => name),
            ["pulumi-tidb-run"], // Not the certificates: nothing asks the cluster.
        );
        assert.equal(url, "s3://backups/log");
        assert.equal(
            does,
            "compact the log s3://backups/log of the cluster db/basic from 400036290571534337 until 400036390571534337",
        );
    });

    it("takes images of its own, with the cluster's version unless they have one", () => {
        const images = (spec: Fields) => {
            const { pod } = rendered({ s3, ...spec });
            return [pod.initContainers[0].image, pod.containers[0].image];
        };
        assert.deepEqual(images({}), ["pingcap/br:v8.5.5", "pingcap/tikv:v8.5.5"]);
        assert.deepEqual(images({ toolImage: "mine/br", tikvImage: "mine/tikv:v8.5.6" }), [
            "mine/br:v8.5.5",
            "mine/tikv:v8.5.6",
        ]);
    });

    for (const [what, spec, of, expected] of [
        ["a cluster of v8.5.4", { s3 }, { version: "v8.5.4" }, "spec.tikvImage"],
        ["an own image of TiKV that is too early", { s3, tikvImage: "t/tikv:v8.5.3" }, {}, "spec.tikvImage"],
        ["an own image of BR that is too early", { s3, toolImage: "b/br:v8.5.4" }, {}, "spec.toolImage"],
        [
            "BR of the cluster's version, which is too early, beside an own image of TiKV",
            { s3, tikvImage: "t/tikv:v8.5.5" },
            { version: "v8.5.3" },
            "spec.toolImage",
        ],
        ["no version", { s3, toolImage: "b/br:v8.5.5" }, { version: undefined }, "spec.tikvImage"],
        ["no start", { s3, startTs: undefined }, {}, "spec.startTs"],
        ["a date without its time zone", { s3, endTs: "2026-05-11 01:42:23" }, {}, "spec.endTs"],
        ["seconds since 1970", { s3, startTs: "1778434943" }, {}, "spec.startTs"],
        ["an end before the start", { s3, startTs: times.endTs, endTs: times.startTs }, {}, "spec.endTs"],
        ["an end that is the start", { s3, endTs: times.startTs }, {}, "spec.endTs"],
        ["no storage", {}, {}, "spec"],
        ["a concurrency of 0", { s3, concurrency: 0 }, {}, "spec.concurrency"],
        ["another cluster", { s3, br: { cluster: "other" } }, {}, "spec.br.cluster"],
        ["retries", { s3, maxRetryTimes: 6 }, {}, "spec.maxRetryTimes"],
        ["options of BR", { s3, br: { cluster: "basic", options: ["--x"] } }, {}, "spec.br.options"],
        ["a field of backups", { s3, tableFilter: ["a.*"] }, {}, "spec.tableFilter"],
    ] as const) {
        it(`refuses ${what}, with the field's name`, () => {
            assert.deepEqual(
                refusedFields(() => rendered(spec, of)),
                [expected],
            );
        });
    }

    it("refuses a name that leaves no room for the Job's", () => {
        assert.deepEqual(
            refusedFields(() => rendered({ s3 }, {}, "a".repeat(45))),
            ["metadata.name"],
        );
        assert.equal(rendered({ s3 }, {}, "a".repeat(44)).job.metadata.name.length, 58);
    });

    it("accepts what changes nothing, and versions that are no numbers", () => {
        rendered({ s3, maxRetryTimes: 0, useKMS: false });
        rendered({ s3, tikvImage: "pingcap/tikv:nightly", toolImage: "pingcap/br:nightly" }, { version: undefined });
        rendered({ s3 }, { version: "v9.0.0-beta.1" });
    });
});
