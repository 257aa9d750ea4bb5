import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkSchedule } from "../../../components/br/schedule/checkSchedule";
import type { ScheduleOptions } from "../../../components/br/schedule/options";
import { renderSchedule } from "../../../components/br/schedule/renderSchedule";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { refusedFields } from "../../support/refusedFields";

type Fields = Record<string, unknown>;
const basic: BrCluster = { name: "basic", namespace: "db", version: "v8.5.3", tls: false };
const br = { cluster: "basic" };
const s3 = { provider: "aws", bucket: "backups", prefix: "nightly", region: "eu-west-1", secretName: "keys" };
const manifest = (spec: Fields = {}, template: Fields = {}, metadata: Fields = {}) => ({
    metadata: { name: "nightly", namespace: "db", ...metadata },
    spec: { schedule: "0 2 * * *", backupTemplate: { br, s3, ...template }, ...spec },
});
const render = (
    spec: Fields = {},
    template: Fields = {},
    {
        metadata = {},
        options = {},
        cluster = basic,
    }: { metadata?: Fields; options?: ScheduleOptions; cluster?: BrCluster } = {},
) => renderSchedule(checkSchedule(manifest(spec, template, metadata)), cluster, options);

type CronJobSpec = KubernetesFields & { jobTemplate: { spec: { template: { spec: KubernetesFields } } } };
function podOf(
    ...args: Parameters<typeof render>
): { initContainers?: KubernetesFields[]; containers: KubernetesFields[] } & KubernetesFields {
    return (render(...args).cronJob.spec as CronJobSpec).jobTemplate.spec.template.spec as never;
}

describe("a BackupSchedule", () => {
    it("is a CronJob that never runs twice at once, in UTC", () => {
        const { cronJob, url } = render({ pause: true });
        assert.equal(url, "s3://backups/nightly");
        const { name, namespace, annotations, labels = {} } = cronJob.metadata;
        assert.deepEqual([name, namespace], ["backup-nightly", "db"]);
        assert.equal(annotations?.["pulumi-tidb.io/backs-up"], "db/basic");
        assert.equal(labels["tidb.pingcap.com/backup-schedule"], "nightly");
        const { jobTemplate, ...rest } = cronJob.spec as CronJobSpec;
        assert.deepEqual(rest, {
            schedule: "0 2 * * *",
            timeZone: "Etc/UTC",
            suspend: true,
            concurrencyPolicy: "Forbid",
        });
        assert.equal((jobTemplate.spec as KubernetesFields).backoffLimit, 0);
        assert.equal(jobTemplate.spec.template.spec.restartPolicy, "Never");
    });

    it("has a time zone and a deadline if the program says so", () => {
        const options = { timeZone: "Europe/Berlin", startingDeadlineSeconds: 600 };
        const { timeZone, startingDeadlineSeconds } = render({}, {}, { options }).cronJob.spec as CronJobSpec;
        assert.deepEqual([timeZone, startingDeadlineSeconds], ["Europe/Berlin", 600]);
    });

    it("without a limit, runs BR alone", () => {
        for (const spec of [{}, { maxBackups: 0 }]) {
            const { initContainers, containers } = podOf(spec);
            assert.equal(initContainers, undefined);
            assert.deepEqual(
                containers.map(({ name, image }) => [name, image]),
                [["backup", "pingcap/br:v8.5.3"]],
            );
        }
    });

    it("with a limit, runs BR first, and rclone with a pinned image only after BR has succeeded", () => {
        const { initContainers, containers, volumes } = podOf(
            { maxBackups: 7 },
            { resources: { requests: { cpu: "1" } } },
        );
        assert.deepEqual(
            initContainers?.map(({ name }) => name),
            ["backup"],
        );
        const [{ name, image, args, resources, command }] = containers;
        assert.deepEqual([name, image], ["retention", "rclone/rclone:1.75.1"]);
        assert.deepEqual(command, ["/bin/sh", "-c"]);
        assert.deepEqual(args.slice(1), [
            "retention",
            "store:backups/nightly",
            "basic-pd.db-2379-nightly-",
            "count",
            "7",
        ]);
        assert.deepEqual(resources, { requests: { cpu: "1" } });
        assert.deepEqual(volumes, [{ name: "pulumi-tidb-run", emptyDir: {} }]);
        const own = podOf({ maxReservedTime: "1h30m" }, {}, { options: { retentionImage: "mirror/rclone:1" } });
        assert.equal(own.containers[0].image, "mirror/rclone:1");
        assert.deepEqual(own.containers[0].args.slice(-2), ["seconds", "5400"]);
    });

    it("gives BR the arguments of a Backup, with a folder of its own for each run", () => {
        const [{ args }] = podOf({}, { br: { ...br, rateLimit: 10 }, s3: { ...s3, forcePathStyle: true } }).containers;
        const [script, ...rest] = args as string[];
        assert.deepEqual(rest, [
            "br",
            "s3://backups/nightly/",
            "?force-path-style=true",
            "backup",
            "full",
            "--pd=basic-pd.db:2379",
            "--s3.region=eu-west-1",
            "--s3.provider=aws",
            "--ratelimit=10",
        ]);
        assert.match(script, /run="basic-pd\.db-2379-nightly-\$\$\(date -u \+%Y-%m-%dt%H-%M-%S\)"/);
    });

    for (const [what, storage, path, env] of [
        [
            "s3",
            { s3: { ...s3, endpoint: "http://minio:9000", provider: "minio", sse: "AES256" } },
            "store:backups/nightly",
            {
                TYPE: "s3",
                PROVIDER: "Minio",
                REGION: "eu-west-1",
                ENDPOINT: "http://minio:9000",
                SERVER_SIDE_ENCRYPTION: "AES256",
                NO_CHECK_BUCKET: "true",
            },
        ],
        [
            "s3 of a provider that rclone does not know",
            { s3: { ...s3, provider: "oss" } },
            "store:backups/nightly",
            { PROVIDER: "Other" },
        ],
        [
            "gcs with a key",
            { gcs: { projectId: "p", bucket: "b", prefix: "/x/", secretName: "key" } },
            "store:b/x",
            {
                TYPE: "google cloud storage",
                SERVICE_ACCOUNT_FILE: "/var/lib/gcs-credentials/credentials.json",
                ENV_AUTH: "false",
                BUCKET_POLICY_ONLY: "true",
            },
        ],
        [
            "gcs with a role",
            { gcs: { projectId: "p", bucket: "b" }, br: { ...br, sendCredToTikv: false } },
            "store:b",
            { ENV_AUTH: undefined },
        ],
        [
            "azblob with a Secret",
            { azblob: { container: "c", prefix: "x", secretName: "key" } },
            "store:c/x",
            { TYPE: "azureblob", ACCOUNT: "$(AZURE_STORAGE_ACCOUNT)", KEY: "secret key/AZURE_STORAGE_KEY" },
        ],
        [
            "azblob with a signature",
            { azblob: { container: "c", storageAccount: "account", sasToken: "sv=1&sig=$(x)" } },
            "store:c",
            { SAS_URL: "https://account.blob.core.windows.net/?sv=1&sig=$$(x)", ENV_AUTH: "false", ACCOUNT: undefined },
        ],
        [
            "local",
            { local: { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: "/mnt" }, prefix: "x" } },
            "store:/mnt/x",
            { TYPE: "local", ENV_AUTH: "false" },
        ],
    ] as const) {
        it(`tells rclone of ${what}`, () => {
            const [retention] = podOf({ maxBackups: 1 }, { s3: undefined, ...(storage as Fields) }).containers;
            assert.equal(retention.args[2], path);
            const found = new Map(
                (retention.env as { name: string; value?: string; valueFrom?: KubernetesFields }[]).map(
                    ({ name, value, valueFrom }) => [
                        name.replace("RCLONE_CONFIG_STORE_", ""),
                        value ?? `secret ${valueFrom?.secretKeyRef.name}/${valueFrom?.secretKeyRef.key}`,
                    ],
                ),
            );
            Object.entries(env).forEach(([name, value]) => assert.equal(found.get(name), value, name));
            assert.equal(found.get("RCLONE_CONFIG"), "/notfound");
        });
    }

    for (const [what, spec, template, expected, metadata = {}] of [
        ["a schedule that is none", { schedule: "0 25 * * *" }, {}, "spec.schedule"],
        ["a schedule that is missing", { schedule: undefined }, {}, "spec.schedule"],
        ["a number that is none", { maxBackups: -1 }, {}, "spec.maxBackups"],
        ["half a backup", { maxBackups: 1.5 }, {}, "spec.maxBackups"],
        ["a duration that is none", { maxReservedTime: "7d" }, {}, "spec.maxReservedTime"],
        ["no time at all", { maxReservedTime: "0s" }, {}, "spec.maxReservedTime"],
        ["two limits", { maxReservedTime: "1h", maxBackups: 3 }, {}, "spec.maxBackups"],
        ["a log backup", { logBackupTemplate: { br, s3 } }, {}, "spec.logBackupTemplate"],
        ...Object.entries({ compactBackupTemplate: { br, s3 }, compactInterval: "1h", minCompactStartTs: "1" }).map(
            ([field, value]): [string, Fields, Fields, string] => [
                `${field}, for which it would have to know where the last compaction ended`,
                { [field]: value },
                {},
                `spec.${field}`,
            ],
        ),
        ["a storage in the wrong place", { s3 }, {}, "spec.s3"],
        ["a volume for Dumpling", { storageSize: "1Gi" }, {}, "spec.storageSize"],
        ["a misspelt field", { maxBackup: 3 }, {}, "spec.maxBackup"],
        ["no template", { backupTemplate: undefined }, {}, "spec.backupTemplate"],
        ["a template without a storage", {}, { s3: undefined }, "spec.backupTemplate"],
        ["a log backup as the template", {}, { backupMode: "log" }, "spec.backupTemplate.backupMode"],
        ["a misspelt filter", {}, { tableFliter: ["shop.*"] }, "spec.backupTemplate.tableFliter"],
        [
            "a deletion of what failed, which only retention does",
            {},
            { cleanPolicy: "OnFailure" },
            "spec.backupTemplate.cleanPolicy",
        ],
        ["a deletion that only retention does", {}, { cleanPolicy: "Delete" }, "spec.backupTemplate.cleanPolicy"],
        ["the same state each time", {}, { commitTs: "2026-01-01 00:00:00" }, "spec.backupTemplate.commitTs"],
        [
            "a storage behind the template's back",
            {},
            { br: { ...br, options: ["--storage=s3://other"] } },
            "spec.backupTemplate.br.options[0]",
        ],
        [
            "a backup that builds on another",
            {},
            { br: { ...br, options: ["--lastbackupts=1"] } },
            "spec.backupTemplate.br.options[0]",
        ],
        [
            "encryption that hides whose backups they are, beside a limit",
            { maxBackups: 1 },
            { br: { ...br, options: ["--crypter.method=aes128-ctr"] } },
            "spec.backupTemplate.br.options[0]",
        ],
        [
            "a group",
            {},
            {},
            'metadata.labels["tidb.pingcap.com/backup-schedule-group"]',
            { labels: { "tidb.pingcap.com/backup-schedule-group": "all" } },
        ],
        ["a name that Kubernetes refuses for a CronJob", {}, {}, "metadata.name", { name: "a".repeat(46) }],
    ] as const) {
        it(`with ${what} is refused`, () => {
            assert.deepEqual(
                refusedFields(() => checkSchedule(manifest(spec, template, metadata))),
                [expected],
            );
        });
    }

    for (const [options, expected] of [
        [{ timeZone: "Mars/Base" }, "timeZone"],
        [{ timeZone: "Local" }, "timeZone"],
        [{ timeZone: "+01:00" }, "timeZone"],
        [{ startingDeadlineSeconds: 5 }, "startingDeadlineSeconds"],
        [{ retentionImage: "rclone" }, "retentionImage"],
    ] as const) {
        it(`with ${JSON.stringify(options)} is refused`, () => {
            assert.deepEqual(
                refusedFields(() => render({}, {}, { options })),
                [expected],
            );
        });
    }

    it("is checked against its cluster as a Backup is", () => {
        assert.deepEqual(
            refusedFields(() => render({}, { toolImage: "pingcap/br:v7.5.0" })),
            ["spec.backupTemplate.toolImage"],
        );
        assert.deepEqual(
            refusedFields(() => render({}, {}, { cluster: { ...basic, name: "other" } })),
            ["spec.backupTemplate.br.cluster"],
        );
    });

    it("pulls both images with its own Secrets", () => {
        const { imagePullSecrets } = podOf(
            { imagePullSecrets: [{ name: "own" }] },
            { imagePullSecrets: [{ name: "template" }] },
        );
        assert.deepEqual(imagePullSecrets, [{ name: "own" }]);
    });
});
