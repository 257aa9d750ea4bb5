import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import type { BrKind } from "../../../components/br/spec";
import { refusedFields } from "../../support/refusedFields";

const br = { cluster: "basic" };
const s3 = { provider: "aws", bucket: "backups", prefix: "full" };
const basic: BrCluster = { name: "basic", namespace: "db", version: "v8.5.3", tls: false };

type Fields = Record<string, unknown>;
const manifest = (spec: Fields, more: Fields = {}) => ({
    metadata: { name: "b1", namespace: "db" },
    spec: { br, s3, ...spec },
    ...more,
});

const problems = (kind: BrKind, spec: Fields, more?: Fields) =>
    refusedFields(() => checkBr(kind, manifest(spec, more)));

describe("a Backup or Restore that is refused", () => {
    for (const [what, spec, expected] of [
        ["two storages", { gcs: { projectId: "p", bucket: "b", secretName: "key" } }, "spec"],
        ["no storage", { s3: undefined }, "spec"],
        ["an unknown storage", { ceph: { bucket: "b" } }, "spec.ceph"],
        ["a misspelt filter, which would take everything", { tableFliter: ["shop.*"] }, "spec.tableFliter"],
        ["a bucket of slashes", { s3: { ...s3, bucket: "//" } }, "spec.s3.bucket"],
        ["a prefix that leaves the bucket's part", { s3: { ...s3, prefix: "a/../b" } }, "spec.s3.prefix"],
        ["a Secret that cannot exist", { s3: { ...s3, secretName: "Keys" } }, "spec.s3.secretName"],
        ["an account that nobody says", { s3: undefined, azblob: { container: "c" } }, "spec.azblob.storageAccount"],
        [
            "two ways to log in",
            { s3: undefined, azblob: { container: "c", storageAccount: "a", secretName: "s", sasToken: "t" } },
            "spec.azblob.secretName",
        ],
        ["a filter without a dot", { tableFilter: ["shop"] }, "spec.tableFilter[0]"],
        ["a filter from a file", { tableFilter: ["@rules.txt"] }, "spec.tableFilter[0]"],
        ["filters that only exclude", { tableFilter: ["!shop.*"] }, "spec.tableFilter"],
        ["a database of a full backup", { br: { ...br, db: "shop" } }, "spec.br.db"],
        ["a table of a database", { backupType: "db", br: { ...br, db: "shop", table: "orders" } }, "spec.br.table"],
        ["a limit of nothing", { br: { ...br, rateLimit: 0 } }, "spec.br.rateLimit"],
        ["text for a number", { br: { ...br, concurrency: "4" } }, "spec.br.concurrency"],
        [
            "a volume twice",
            { additionalVolumes: [{ name: "a" }, { name: "a" }] },
            ["spec.additionalVolumes[0].name", "spec.additionalVolumes[1].name"],
        ],
        [
            "a mount without a volume",
            { additionalVolumeMounts: [{ name: "a", mountPath: "/a" }] },
            "spec.additionalVolumeMounts[0].name",
        ],
        [
            "a variable with two sources",
            { env: [{ name: "A", value: "x", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
            "spec.env[0].valueFrom",
        ],
    ] as const) {
        it(`has ${what}`, () => {
            assert.deepEqual(problems("Backup", spec), [expected].flat());
            assert.deepEqual(problems("Restore", spec), [expected].flat());
        });
    }

    it("has no key of Google that BR could send to TiKV, unless TiKV needs none or the key comes another way", () => {
        const gcs = { projectId: "p", bucket: "b", prefix: "full" };
        const key = { name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/keys/google.json" };
        for (const kind of ["Backup", "Restore"] as const) {
            const found = (more: Fields, ofBr: Fields = {}) =>
                problems(kind, { s3: undefined, gcs, br: { ...br, ...ofBr }, ...more });
            assert.deepEqual(found({}), ["spec.br.sendCredToTikv"]);
            assert.deepEqual(found({}, { sendCredToTikv: true }), ["spec.br.sendCredToTikv"]);
            assert.deepEqual(found({}, { sendCredToTikv: false }), []);
            assert.deepEqual(found({ gcs: { ...gcs, secretName: "key" } }), []);
            assert.deepEqual(found({}, { options: ["--gcs.credentials-file=/keys/google.json"] }), []);
            assert.deepEqual(found({}, { options: ["--send-credentials-to-tikv=false"] }), []);
            assert.deepEqual(found({ env: [key] }), []);
        }
    });

    for (const option of ["--pd=other:2379", "-u", "--help", "-h", "--version", "-V"]) {
        it(`has the option ${option}, with which BR does the work elsewhere, or none`, () => {
            for (const kind of ["Backup", "Restore"] as const) {
                const options = ["--crypter.method=plaintext", option];
                assert.deepEqual(problems(kind, { br: { ...br, options } }), ["spec.br.options[1]"]);
            }
        });
    }

    for (const place of ["a#b", "a?endpoint=http://other", "a%2fb", "a/../b"]) {
        it(`has the place ${place}, which the tools do not read as it is written`, () => {
            for (const field of ["prefix", "bucket"]) {
                assert.deepEqual(problems("Backup", { s3: { ...s3, [field]: place } }), [`spec.s3.${field}`]);
            }
        });
    }

    it("has a name that its Job cannot have", () => {
        const named = (kind: BrKind, length: number) =>
            problems(kind, {}, { metadata: { name: "x".repeat(length), namespace: "db" } });
        assert.deepEqual([named("Backup", 51), named("Backup", 52)], [[], ["metadata.name"]]);
        assert.deepEqual([named("Restore", 50), named("Restore", 51)], [[], ["metadata.name"]]);
    });

    for (const [kind, spec, field] of [
        ["Backup", { from: { host: "h", secretName: "s" } }, "from"],
        ["Restore", { to: { host: "h", secretName: "s" } }, "to"],
        ["Backup", { backupMode: "volume-snapshot" }, "backupMode"],
        ["Restore", { restoreMode: "volume-snapshot" }, "restoreMode"],
        ["Restore", { prune: "afterFailed" }, "prune"],
        ["Backup", { cleanPolicy: "OnFailure", s3: { ...s3, prefix: "/" } }, "cleanPolicy"],
        [
            "Backup",
            {
                cleanPolicy: "OnFailure",
                s3: undefined,
                local: { volume: { name: "v" }, volumeMount: { name: "v", mountPath: "/v" }, prefix: "a" },
            },
            "cleanPolicy",
        ],
        ["Backup", { cleanPolicy: "OnFailure", backupMode: "log" }, "cleanPolicy"],
        ["Backup", { cleanPolicy: "Delete", s3: { ...s3, prefix: "/" } }, "cleanPolicy"],
        ["Backup", { cleanPolicy: "Delete", s3: { ...s3, prefix: undefined } }, "cleanPolicy"],
        ["Backup", { cleanPolicy: "Delete", backupMode: "log" }, "cleanPolicy"],
        ["Backup", { cleanOption: { pageSize: 1 } }, "cleanOption"],
        ["Backup", { dumpling: {} }, "dumpling"],
        ["Backup", { storageSize: "10Gi" }, "storageSize"],
        ["Backup", { backoffRetryPolicy: { maxRetryTimes: 2 } }, "backoffRetryPolicy"],
        ["Restore", { backoffLimit: 2 }, "backoffLimit"],
        ["Restore", { warmup: "sync" }, "warmup"],
        ["Backup", { s3: { ...s3, options: ["--x"] } }, "s3.options"],
        ["Backup", { useKMS: true }, "useKMS"],
        ["Backup", { br: { ...br, onLine: true } }, "br.onLine"],
        ["Restore", { br: { ...br, timeAgo: "1h" } }, "br.timeAgo"],
    ] as [BrKind, Fields, string][]) {
        it(`is a ${kind} with spec.${field}, which is named once`, () => {
            assert.deepEqual(problems(kind, spec), [`spec.${field}`]);
        });
    }

    it("accepts what such a field changes nothing with", () => {
        assert.deepEqual(
            problems("Backup", { logStop: false, useKMS: false, cleanPolicy: "Retain", backupMode: "snapshot" }),
            [],
        );
        assert.deepEqual(problems("Restore", { backoffLimit: 0, restoreMode: "snapshot" }), []);
        assert.deepEqual(problems("Backup", {}, { status: { phase: "Complete" } }), []);
        assert.deepEqual(problems("Backup", { tableFilter: ["*.*", "!shop.*", "`a.b`.c", "/^x/.*"] }), []);
    });
});

describe("a Backup or Restore beside its cluster", () => {
    const render = (kind: BrKind, spec: Fields, cluster: Partial<BrCluster> = {}, backupVersion?: string) =>
        refusedFields(() => renderBr(kind, checkBr(kind, manifest(spec)), { ...basic, ...cluster }, backupVersion));

    it("whose data nobody could delete: its cluster is not of the program, or in another namespace", () => {
        const spec = { cleanPolicy: "Delete", br: { cluster: "basic", clusterNamespace: "tidb" } };
        const own = { namespace: "tidb", isOwn: true } as const;
        assert.deepEqual(render("Backup", { cleanPolicy: "Delete" }, { isOwn: true }), []);
        for (const cleanPolicy of ["Delete", "OnFailure"]) {
            assert.deepEqual(render("Backup", { cleanPolicy }), ["spec.cleanPolicy"]);
        }
        assert.deepEqual(render("Backup", spec, own), ["metadata.namespace"]);
        assert.deepEqual(render("Backup", { ...spec, cleanPolicy: "Retain" }, own), []);
    });

    for (const [what, image, version, expected] of [
        ["the same", undefined, "v8.5.3", []],
        ["the next major version", "br:v8.1.0", "v7.5.0", []],
        ["an earlier major version", "br:v7.5.0", "v8.1.0", ["spec.toolImage"]],
        ["two major versions ahead", "br:v8.1.0", "v6.5.0", ["spec.toolImage"]],
        ["v8.2 or later for an earlier TiKV", "br:v8.2.0", "v8.1.1", ["spec.toolImage"]],
        ["too old for GC", undefined, "v4.0.7", ["spec.toolImage"]],
        ["not said by TiKV's image", undefined, undefined, ["spec.toolImage"]],
        ["said by the tool image only", "br:v8.5.3", undefined, []],
    ] as const) {
        it(`has BR of a version that is ${what}`, () => {
            assert.deepEqual(render("Backup", { toolImage: image }, { version }), expected);
        });
    }

    it("keeps Kubernetes from reading a variable in an argument", () => {
        const checked = checkBr("Backup", manifest({ tableFilter: ["shop.a$(HOME)$$"] }));
        const [{ args }] = renderBr("Backup", checked, basic).job.spec.template.spec.containers;
        assert.ok((args as string[]).includes("shop.a$$(HOME)$$$$"));
    });

    it("refuses a backup of a later version, down to the patch, and one that is not a version", () => {
        assert.deepEqual(render("Restore", {}, {}, "v8.5.3"), []);
        assert.deepEqual(render("Restore", {}, {}, "v7.1.0"), []);
        assert.deepEqual(render("Restore", {}, {}, "v8.5.4"), ["backupVersion"]);
        assert.deepEqual(render("Restore", {}, {}, "newest"), ["backupVersion"]);
    });

    it("refuses another cluster's name or namespace, and TLS with its Secret out of reach", () => {
        assert.deepEqual(render("Backup", {}, { name: "other" }), ["spec.br.cluster"]);
        assert.deepEqual(render("Backup", {}, { namespace: "x" }), ["spec.br.clusterNamespace"]);
        const elsewhere = { br: { ...br, clusterNamespace: "x" } };
        assert.deepEqual(render("Backup", elsewhere, { namespace: "x" }), []);
        assert.deepEqual(render("Backup", elsewhere, { namespace: "x", tls: true }), ["metadata.namespace"]);
    });
});
