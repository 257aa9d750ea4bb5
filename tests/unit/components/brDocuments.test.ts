import assert from "node:assert/strict";
import { convert } from "../../../bin/convertCommand";
import { render } from "../../../bin/renderCommand";
import { brOfText } from "../../../components/backup/brFile";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { ManifestError } from "../../../components/problem";
import { smallCluster } from "./manifests";
import { repeats } from "../../support/repeats";

const s3 = { provider: "aws", bucket: "backups", prefix: "full" };
const work = (kind: string, name: string, spec: object = {}, namespace = "stores") => ({
    apiVersion: "pingcap.com/v1alpha1",
    kind,
    metadata: { name, namespace },
    spec: { br: { cluster: "shop", rateLimit: 64 }, s3, ...spec },
});
const text = (...objects: object[]) => objects.map((object) => `---\n${JSON.stringify(object)}\n`).join("");
const cluster = { kind: "TidbCluster", ...smallCluster() };
const both = text(work("Backup", "nightly"), cluster, work("Restore", "again"));

function rendered(file: string, only?: string): string[] {
    const { output, errors, exitCode } = render(["x.yaml"], "json", () => file, only === undefined ? {} : { only });
    assert.deepEqual([errors, exitCode], ["", 0]);
    return (JSON.parse(output) as KubernetesObject[])
        .filter(({ kind }) => kind === "Job" || kind === "Lease")
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
}

describe("Backups and Restores in a file", () => {
    it("are rendered after their cluster, wherever they are in the file", () => {
        assert.deepEqual(rendered(both), [
            "Lease stores/shop-pulumi-tidb",
            "Job stores/backup-nightly",
            "Job stores/restore-again",
        ]);
    });

    it("are rendered alone if they are chosen, with the version of their cluster", () => {
        assert.deepEqual(rendered(both, "Backup/nightly"), ["Job stores/backup-nightly"]);
        assert.deepEqual(rendered(both, "TidbCluster/shop"), ["Lease stores/shop-pulumi-tidb"]);
    });

    for (const [what, file, expected] of [
        [
            "without their cluster",
            text(work("Backup", "nightly")),
            'Backup nightly: 1 error\n  - spec.br.cluster: found "shop"',
        ],
        [
            "with their cluster in another namespace",
            text(cluster, work("Backup", "nightly", {}, "other")),
            'spec.br.cluster: found "shop", expected a TidbCluster in namespace other',
        ],
        ["twice", text(cluster, work("Backup", "nightly"), work("Backup", "nightly")), "found a second Backup/nightly"],
        [
            "with errors",
            text(cluster, work("Backup", "nightly", { s3: undefined })),
            "Backup nightly: 1 error\n  - spec: ",
        ],
    ] as const) {
        it(`are refused ${what}`, () => {
            const { output, errors, exitCode } = render(["x.yaml"], "json", () => file);
            assert.deepEqual([output, exitCode], ["", 1]);
            repeats(errors, expected);
        });
    }

    it("may be CompactBackups, which are rendered, converted and read like them", () => {
        const spec = { br: { cluster: "shop" }, startTs: "2026-05-10 00:00:00Z", endTs: "2026-05-11 00:00:00Z" };
        const later = smallCluster();
        later.spec.version = "v8.5.5";
        const file = text(work("CompactBackup", "log", spec), { kind: "TidbCluster", ...later });
        assert.deepEqual(rendered(file, "CompactBackup/log"), ["Job stores/compactbackup-log"]);
        assert.match(
            convert(["x.yaml"], () => file).output,
            /new CompactBackup\("log", \{\n {4}cluster,\n {4}spec: \{\n[^}]*\},\n {8}startTs: "2026-05-10 00:00:00Z",\n {8}endTs: [^}]*\n {4}\},\n\}\);/,
        );
        assert.equal(brOfText("CompactBackup", file, "x.yaml").metadata.name, "log");
        const { errors } = render(["x.yaml"], "json", () => text(work("CompactBackup", "log", spec), cluster));
        repeats(errors, "spec.tikvImage: found pingcap/tikv:v");
    });

    it("may be by SQL, whose cluster is that of the Service that is their host", () => {
        const sql = (kind: string, field: string, host: string) => ({
            ...work(kind, "sql"),
            spec: { s3, [field]: { host, secretName: "sql" } },
        });
        const file = text(sql("Backup", "from", "shop-tidb"), cluster, sql("Restore", "to", "shop-tidb.stores.svc"));
        assert.deepEqual(rendered(file, "Backup/sql"), ["Job stores/backup-sql"]);
        assert.deepEqual(rendered(file, "Restore/sql"), ["Job stores/restore-sql"]);
        assert.match(
            convert(["x.yaml"], () => file).output,
            /new Backup\("sql", \{\n {4}cluster,\n {4}spec: \{\n {8}s3: [^}]*\},\n {8}from: \{ host: "shop-tidb", secretName: "sql" \},\n {4}\},\n\}\);/,
        );
        assert.equal(brOfText("Restore", file, "x.yaml").metadata.name, "sql");
        const { errors } = render(["x.yaml"], "json", () => text(sql("Backup", "from", "10.0.0.9"), cluster));
        repeats(errors, 'spec.from.host: found "10.0.0.9"', "namespace stores");
    });

    it("may be in another file than their cluster, as most public ones are", () => {
        const files: Record<string, string> = {
            "cluster.yaml": text(cluster),
            "backup.yaml": text(work("Backup", "nightly")),
            "broken.yaml": "spec: [",
        };
        const read = (file: string) => files[file];
        for (const names of [
            ["cluster.yaml", "backup.yaml"],
            ["backup.yaml", "cluster.yaml"],
        ]) {
            const { output, errors } = render(names, "json", read, { only: "Backup/nightly" });
            assert.equal(errors, "");
            repeats(output, '"backup-nightly"');
            assert.match(
                convert(names, read).output,
                /new TidbCluster\("shop"[^]*new Backup\("nightly", \{\n {4}cluster,/,
            );
        }
        for (const alone of [render(["backup.yaml"], "json", read), convert(["backup.yaml"], read)]) {
            assert.deepEqual([alone.output, alone.exitCode], ["", 1]);
            repeats(alone.errors, "TidbCluster");
        }
        const { errors } = render(["cluster.yaml", "broken.yaml"], "json", read);
        repeats(errors, "error: broken.yaml: 1 error");
    });

    it("may have the name of another kind", () => {
        assert.equal(rendered(text(cluster, work("Backup", "a"), work("Restore", "a"))).length, 3);
    });

    it("become parts of the converted program, without the name and namespace that its cluster gives", () => {
        const { output, errors } = convert(["x.yaml"], () => both);
        assert.equal(errors, "");
        assert.match(output, /^import \{ Backup, Restore, TidbCluster \} from "pulumi-tidb";\n/);
        assert.ok(
            output.includes(`new Backup("nightly", {
    cluster,
    spec: {
        s3: { provider: "aws", bucket: "backups", prefix: "full" },
        br: { rateLimit: 64 },
    },
});
`),
            output,
        );
        assert.match(output, /new Restore\("again", \{\n {4}cluster,\n/);
    });

    it("cannot be converted without a cluster", () => {
        const { errors, exitCode } = convert(["x.yaml"], () => both, { only: "Backup/nightly" });
        assert.equal(exitCode, 1);
        repeats(errors, '--only: found "Backup/nightly"');
    });

    it("are read one by one for fromYaml", () => {
        assert.equal(brOfText("Backup", both, "x.yaml").metadata.name, "nightly");
        const two = text(work("Backup", "a"), work("Backup", "b"));
        assert.equal(brOfText("Backup", two, "x.yaml", "Backup/b").metadata.name, "b");
        for (const [kind, found] of [
            ["Backup", "Backup/a, Backup/b"],
            ["Restore", "Restore among Backup/a, Backup/b"],
        ] as const) {
            assert.throws(
                () => brOfText(kind, two, "x.yaml"),
                (error) => error instanceof ManifestError && error.problems[0].found.includes(found),
            );
        }
    });
});
