import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import type { BrKind } from "../../../components/br/spec";
import { manifestErrors } from "../../support/manifestErrors";

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
    manifestErrors(() => checkBr(kind, manifest(spec, more)));

describe("a Backup or Restore that is refused", () => {
    for (const [what, spec, expected] of [
        [
            "two storages",
            { gcs: { projectId: "p", bucket: "b", secretName: "key" } },
            /^spec: found s3 and gcs, expected exactly one of s3, gcs, azblob, local$/,
        ],
        ["no storage", { s3: undefined }, /^spec: found no storage, expected exactly one of/],
        ["an unknown storage", { ceph: { bucket: "b" } }, /^spec\.ceph is not a known field/],
        [
            "a misspelt filter, which would take everything",
            { tableFliter: ["shop.*"] },
            /^spec\.tableFliter is not a known field, and tableFilter is missing; did you mean tableFilter\?/,
        ],
        ["a bucket of slashes", { s3: { ...s3, bucket: "//" } }, /^spec\.s3\.bucket: found nothing, expected its name/],
        [
            "a prefix that leaves the bucket's part",
            { s3: { ...s3, prefix: "a/../b" } },
            /^spec\.s3\.prefix: found "a\/\.\.\/b", expected a path without `\.` and `\.\.`/,
        ],
        [
            "a Secret that cannot exist",
            { s3: { ...s3, secretName: "Keys" } },
            /^spec\.s3\.secretName: found "Keys", expected the name of a Secret/,
        ],
        [
            "an account that nobody says",
            { s3: undefined, azblob: { container: "c" } },
            /^spec\.azblob\.storageAccount: found nothing/,
        ],
        [
            "two ways to log in",
            { s3: undefined, azblob: { container: "c", storageAccount: "a", secretName: "s", sasToken: "t" } },
            /^spec\.azblob\.secretName: found "s", expected either sasToken or secretName/,
        ],
        [
            "a filter without a dot",
            { tableFilter: ["shop"] },
            /^spec\.tableFilter\[0\]: found "shop", expected a rule of the form database\.table/,
        ],
        ["a filter from a file", { tableFilter: ["@rules.txt"] }, /^spec\.tableFilter\[0\]: found "@rules\.txt"/],
        [
            "filters that only exclude",
            { tableFilter: ["!shop.*"] },
            /^spec\.tableFilter: found only rules that exclude/,
        ],
        [
            "a database of a full backup",
            { br: { ...br, db: "shop" } },
            /^spec\.br\.db: found "shop", expected spec\.backupType db or table, or spec\.tableFilter; everything would be taken otherwise/,
        ],
        [
            "a table of a database",
            { backupType: "db", br: { ...br, db: "shop", table: "orders" } },
            /^spec\.br\.table: found "orders", expected no table with spec\.backupType db/,
        ],
        [
            "a limit of nothing",
            { br: { ...br, rateLimit: 0 } },
            /^spec\.br\.rateLimit: found 0, expected a whole number from 1/,
        ],
        [
            "text for a number",
            { br: { ...br, concurrency: "4" } },
            /^spec\.br\.concurrency: found the text "4", expected a whole number.*remove the quotes/,
        ],
        [
            "a volume twice",
            { additionalVolumes: [{ name: "a" }, { name: "a" }] },
            /^spec\.additionalVolumes\[0\]\.name: found "a", expected a name that no other volume has/,
        ],
        [
            "a mount without a volume",
            { additionalVolumeMounts: [{ name: "a", mountPath: "/a" }] },
            /^spec\.additionalVolumeMounts\[0\]\.name: found "a", expected the name of a volume/,
        ],
        [
            "a variable with two sources",
            { env: [{ name: "A", value: "x", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
            /^spec\.env\[0\]\.valueFrom: found both value and valueFrom/,
        ],
    ] as const) {
        it(`has ${what}`, () => {
            assert.match(problems("Backup", spec)[0] ?? "nothing", expected);
            assert.match(problems("Restore", spec)[0] ?? "nothing", expected);
        });
    }

    it("has no key of Google that BR could send to TiKV, unless TiKV needs none or the key comes another way", () => {
        const gcs = { projectId: "p", bucket: "b", prefix: "full" };
        const key = { name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/keys/google.json" };
        for (const kind of ["Backup", "Restore"] as const) {
            const found = (more: Fields, ofBr: Fields = {}) =>
                problems(kind, { s3: undefined, gcs, br: { ...br, ...ofBr }, ...more });
            const expected =
                "false without spec.gcs.secretName: workload identity is no key that TiKV could get, so it needs its own";
            assert.deepEqual(found({}), [`spec.br.sendCredToTikv: found nothing, expected ${expected}`]);
            assert.deepEqual(found({}, { sendCredToTikv: true }), [
                `spec.br.sendCredToTikv: found true, expected ${expected}`,
            ]);
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
                assert.deepEqual(problems(kind, { br: { ...br, options: ["--crypter.method=plaintext", option] } }), [
                    `spec.br.options[1]: found "${option}", expected no flag with which BR works on another cluster, or does nothing`,
                ]);
            }
        });
    }

    for (const place of ["a#b", "a?endpoint=http://other", "a%2fb", "a/../b"]) {
        it(`has the place ${place}, which the tools do not read as it is written`, () => {
            for (const field of ["prefix", "bucket"]) {
                const [message, ...more] = problems("Backup", { s3: { ...s3, [field]: place } });
                assert.match(message, new RegExp(`^spec\\.s3\\.${field}: found .*, expected a path without`));
                assert.deepEqual(more, []);
            }
        });
    }

    it("has a name that its Job cannot have", () => {
        const metadata = { name: "x".repeat(60), namespace: "db" };
        assert.match(problems("Backup", {}, { metadata })[0], /^metadata\.name: .*at most 51 lower-case letters/);
        assert.match(problems("Restore", {}, { metadata })[0], /^metadata\.name: .*at most 50 lower-case letters/);
    });

    for (const [kind, spec, field, why] of [
        ["Backup", { from: { host: "h", secretName: "s" } }, "from", /of its own, without `br`/],
        ["Restore", { to: { host: "h", secretName: "s" } }, "to", /of its own, without `br`/],
        ["Backup", { backupMode: "volume-snapshot" }, "backupMode", /snapshots of volumes/],
        ["Restore", { restoreMode: "volume-snapshot" }, "restoreMode", /snapshots of volumes/],
        ["Restore", { prune: "afterFailed" }, "prune", /this package deletes nothing/],
        [
            "Backup",
            { cleanPolicy: "OnFailure", s3: { ...s3, prefix: "/" } },
            "cleanPolicy",
            /Retain without a `prefix`/,
        ],
        [
            "Backup",
            {
                cleanPolicy: "OnFailure",
                s3: undefined,
                local: { volume: { name: "v" }, volumeMount: { name: "v", mountPath: "/v" }, prefix: "a" },
            },
            "cleanPolicy",
            /Retain or Delete on a volume/,
        ],
        ["Backup", { cleanPolicy: "OnFailure", backupMode: "log" }, "cleanPolicy", /a log backup goes on/],
        ["Backup", { cleanPolicy: "Delete", s3: { ...s3, prefix: "/" } }, "cleanPolicy", /Retain without a `prefix`/],
        [
            "Backup",
            { cleanPolicy: "Delete", s3: { ...s3, prefix: undefined } },
            "cleanPolicy",
            /Retain without a `prefix`/,
        ],
        ["Backup", { cleanPolicy: "Delete", backupMode: "log" }, "cleanPolicy", /a log backup goes on/],
        ["Backup", { cleanOption: { pageSize: 1 } }, "cleanOption", /rclone deletes the data/],
        ["Backup", { dumpling: {} }, "dumpling", /of its own, without `br`/],
        ["Backup", { storageSize: "10Gi" }, "storageSize", /BR needs no volume/],
        ["Backup", { backoffRetryPolicy: { maxRetryTimes: 2 } }, "backoffRetryPolicy", /raise `attempt`/],
        ["Restore", { backoffLimit: 2 }, "backoffLimit", /raise `attempt`/],
        ["Restore", { warmup: "sync" }, "warmup", /snapshots of volumes/],
        ["Backup", { s3: { ...s3, options: ["--x"] } }, "s3.options", /rclone/],
        ["Backup", { useKMS: true }, "useKMS", /KMS/],
        ["Backup", { br: { ...br, onLine: true } }, "br.onLine", /only a restore/],
        ["Restore", { br: { ...br, timeAgo: "1h" } }, "br.timeAgo", /only a backup/],
    ] as [BrKind, Fields, string, RegExp][]) {
        it(`is a ${kind} with spec.${field}, which is named once and with its reason`, () => {
            const [message, ...more] = problems(kind, spec);
            assert.ok(message?.startsWith(`spec.${field}: found `), message);
            assert.match(message, why);
            assert.deepEqual(more, []);
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
        manifestErrors(() => renderBr(kind, checkBr(kind, manifest(spec)), { ...basic, ...cluster }, backupVersion));

    it("whose data nobody could delete: its cluster is not of the program, or in another namespace", () => {
        const spec = { cleanPolicy: "Delete", br: { cluster: "basic", clusterNamespace: "tidb" } };
        const own = { namespace: "tidb", isOwn: true } as const;
        assert.deepEqual(render("Backup", { cleanPolicy: "Delete" }, { isOwn: true }), []);
        for (const cleanPolicy of ["Delete", "OnFailure"]) {
            assert.match(
                render("Backup", { cleanPolicy }).join(),
                new RegExp(`^spec\\.cleanPolicy: found ${cleanPolicy}, expected Retain, unless`),
            );
        }
        assert.match(
            render("Backup", spec, own).join(),
            /^metadata\.namespace: found "db", expected tidb, the namespace of/,
        );
        assert.deepEqual(render("Backup", { ...spec, cleanPolicy: "Retain" }, own), []);
    });

    for (const [what, image, version, expected] of [
        ["the same", undefined, "v8.5.3", undefined],
        ["the next major version", "br:v8.1.0", "v7.5.0", undefined],
        ["an earlier major version", "br:v7.5.0", "v8.1.0", /BR refuses this pair/],
        ["two major versions ahead", "br:v8.1.0", "v6.5.0", /BR refuses this pair/],
        ["v8.2 or later for an earlier TiKV", "br:v8.2.0", "v8.1.1", /BR refuses this pair/],
        ["too old for GC", undefined, "v4.0.7", /v4\.0\.8 or later/],
        ["not said by TiKV's image", undefined, undefined, /no version: TiKV's image has no version in its tag/],
        ["said by the tool image only", "br:v8.5.3", undefined, undefined],
    ] as const) {
        it(`has BR of a version that is ${what}`, () => {
            const [message] = render("Backup", { toolImage: image }, { version });
            assert.equal(message === undefined, expected === undefined, message);
            assert.match(message ?? "", expected ?? /^$/);
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
        assert.match(
            render("Restore", {}, {}, "v8.5.4")[0],
            /^backupVersion: found v8\.5\.4, expected no later version/,
        );
        assert.match(render("Restore", {}, {}, "newest")[0], /^backupVersion: found "newest", expected a version/);
    });

    it("refuses another cluster's name or namespace, and TLS with its Secret out of reach", () => {
        assert.match(render("Backup", {}, { name: "other" })[0], /^spec\.br\.cluster: found "basic", expected other/);
        assert.match(
            render("Backup", {}, { namespace: "x" })[0],
            /^spec\.br\.clusterNamespace: found "db", expected x/,
        );
        const elsewhere = { br: { ...br, clusterNamespace: "x" } };
        assert.deepEqual(render("Backup", elsewhere, { namespace: "x" }), []);
        assert.match(
            render("Backup", elsewhere, { namespace: "x", tls: true })[0],
            /^metadata\.namespace: found "db", expected x/,
        );
    });
});
