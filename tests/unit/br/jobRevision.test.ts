import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { withJobRevision } from "../../../components/br/jobRevision";
import { renderBr } from "../../../components/br/renderBr";
import type { BrKind } from "../../../components/br/spec";
import { jobRevisionAnnotation } from "../../../topology/annotations";

const s3 = { provider: "aws", region: "us-east-1", bucket: "backups", prefix: "one", secretName: "keys" };
const br = { cluster: "basic", clusterNamespace: "db" };
const times = { startTs: "2026-05-04 00:00:00+0000", endTs: "2026-05-11 00:00:00+0000" };
const sql = { name: "basic", namespace: "db", port: 4000 };

function revision(kind: BrKind, version: string, spec: object): string | undefined {
    const cluster = { name: "basic", namespace: "db", tls: false, version, sql } as BrCluster;
    const manifest = checkBr(kind, { metadata: { name: "b1", namespace: "db" }, spec: { s3, ...spec } });
    const { job } = renderBr(kind, manifest, cluster);
    return withJobRevision(job, kind, manifest, cluster).metadata.annotations?.[jobRevisionAnnotation];
}

describe("the digest of a Job of BR", () => {
    const kinds: [BrKind, object][] = [
        ["Backup", { br }],
        ["Backup", { from: { secretName: "sql" } }],
        ["Restore", { br, toolImage: "mirror.example:5000/br" }],
        ["CompactBackup", { br, ...times }],
        ["CompactBackup", { br, ...times, tikvImage: "mirror/tikv" }],
    ];
    for (const [kind, spec] of kinds) {
        it(`stays when an upgrade changes the version of its image: ${kind} with ${Object.keys(spec).join(", ")}`, () => {
            const before = revision(kind, "v8.5.5", spec);
            assert.match(before ?? "", /^[0-9a-f]{12}$/);
            assert.equal(revision(kind, "v8.5.6", spec), before);
            assert.notEqual(revision(kind, "v8.5.5", { ...spec, s3: { ...s3, prefix: "two" } }), before);
        });
    }

    it("changes with an image that the program names", () => {
        const of = (toolImage: string) => revision("Backup", "v8.5.5", { br, toolImage });
        assert.notEqual(of("pingcap/br:v8.5.4"), of("pingcap/br:v8.5.5"));
        assert.notEqual(of("mirror/br"), revision("Backup", "v8.5.5", { br, toolImage: "pingcap/br:v8.5.5" }));
    });
});
