import * as assert from "node:assert/strict";
import { checkBr } from "../../../components/br/checkBr";
import { type BackupPlace, placeOf, rootCaution, samePlace } from "../../../components/br/samePlace";
import type { BackupManifest } from "../../../components/br/spec";
import { repeats } from "../../support/repeats";

const s3 = (more: object = {}) => ({ s3: { provider: "aws", bucket: "b", prefix: "full", ...more } });
const gcs = (more: object = {}) => ({ gcs: { projectId: "p", bucket: "b", prefix: "full", ...more } });
const azblob = (more: object = {}) => ({
    azblob: { container: "b", storageAccount: "a", secretName: "k", prefix: "full", ...more },
});
const local = (source: object, more: object = {}, mount: object = {}) => ({
    local: {
        volume: { name: "v", ...source },
        volumeMount: { name: "v", mountPath: "/backup", ...mount },
        prefix: "full",
        ...more,
    },
});
const dump = (prefix: string) => ({ from: {}, ...s3({ prefix }) });
const nfs = { nfs: { server: "n", path: "/" } };
const claim = { persistentVolumeClaim: { claimName: "c" } };
const ofSecret = azblob({ storageAccount: undefined });

const manifest = (spec: object, namespace = "db") =>
    checkBr("Backup", {
        metadata: { name: "one", namespace },
        spec: "from" in spec ? spec : { br: { cluster: "basic", sendCredToTikv: false }, ...spec },
    }) as BackupManifest;
const place = (
    of: string,
    spec: object,
    namespace?: string,
    foldersOf?: string,
    seenFrom?: BackupPlace["seenFrom"],
) => {
    const found = manifest(spec, namespace);
    return { ...placeOf(of, found, found.metadata.namespace, foldersOf)!, seenFrom };
};
const clash = (one: object, other: object, namespace?: string) =>
    samePlace(place("Backup two", other, namespace), [place("Backup one", one)])?.words ?? "";
const twice = <T>(one: T) => [one, one] as const;
const folders = (spec: object, of = "BackupSchedule one") => place(of, spec, undefined, "spec.backupTemplate");

describe("two backups of a program", () => {
    for (const [what, one, other] of [
        ["one path", s3(), s3()],
        [
            "one path, spelled differently",
            s3({ endpoint: "http://m:9000" }),
            s3({ endpoint: "http://m:9000/", prefix: "/full/" }),
        ],
        ["one path, a part of it in the bucket", s3(), s3({ bucket: "b/full", prefix: "" })],
        ["the root", s3({ prefix: undefined }), s3({ prefix: "" })],
        ["one path with other keys", s3({ secretName: "a" }), s3({ secretName: "b" })],
        ["one path of a log and of a full backup", { ...s3(), backupMode: "log" }, s3()],
        ["one path by BR and by Dumpling", s3(), dump("full")],
        ["one path in Google's storage", gcs(), gcs()],
        ["one path in Azure's", azblob(), azblob()],
        ["one path in Azure's, with an account of one Secret", ofSecret, ofSecret],
        ["one volume", local(nfs), local(nfs, {}, { mountPath: "/other" })],
        ["one volume, a part of it in the mount", local(nfs), local(nfs, { prefix: "" }, { subPath: "full" })],
        ["one volume claim", local(claim), local(claim)],
        ["a dump and one below it", dump("dumps"), dump("dumps/monday")],
        ["a dump and one above it", dump("dumps/monday"), dump("dumps")],
    ] as const) {
        it(`may not have ${what}`, () => assert.notEqual(clash(one, other), ""));
    }

    for (const [what, one, other, namespace] of [
        ["two paths", s3(), s3({ prefix: "full2" })],
        ["a path below that of another by BR", s3(), s3({ prefix: "full/2" })],
        ["two dumps beside each other", dump("dumps"), dump("dumps-2")],
        ["two endpoints", s3(), s3({ endpoint: "http://m:9000" })],
        ["two kinds of storage", s3(), gcs()],
        ["two accounts", azblob(), azblob({ storageAccount: "other" })],
        ["accounts of two Secrets", ofSecret, azblob({ storageAccount: undefined, secretName: "other" })],
        ["accounts of a Secret in two namespaces", ofSecret, ofSecret, "other"],
        ["two volumes", local(nfs), local({ nfs: { server: "other", path: "/" } })],
        ["claims of one name in two namespaces", local(claim), local(claim), "other"],
    ] as const) {
        it(`may have ${what}`, () => assert.equal(clash(one, other, namespace), ""));
    }

    it("are both named, with the field, what was found and what is expected", () => {
        repeats(clash(s3(), s3()), 'spec.s3.prefix: found "full"', "Backup one", "s3://b/full");
        repeats(clash(dump("a"), dump("a/b")), "s3://b/a");
        repeats(clash(s3({ prefix: "" }), s3({ prefix: undefined })), "spec.s3.prefix: found nothing");
    });

    it("are not compared where the namespace that decides it is not known, and not on volumes of a pod", () => {
        assert.equal(placeOf("", manifest(local(claim)), undefined), undefined);
        assert.equal(placeOf("", manifest(ofSecret), undefined), undefined);
        assert.equal(placeOf("", manifest(local({ emptyDir: {} })), "db"), undefined);
        assert.ok(placeOf("", manifest(s3()), undefined));
    });
});

describe("two backups of a program that certainly write into one path", () => {
    const [kubernetes, elsewhere] = [{}, {}];
    const basic = { kubernetes, namespace: "db" };
    const other = { kubernetes: elsewhere, namespace: "db" };
    const beside = { kubernetes, namespace: "other" };
    const minio = s3({ provider: "minio", endpoint: "http://m:9000", secretName: "k" });
    const adding = (spec: object, more: object) => ({ ...spec, ...more });
    for (const [what, one, two, clusters, isSure] of [
        ["a bucket of AWS, whatever cluster is backed up", s3(), s3(), [basic, other], true],
        ["a bucket of AWS with other keys", s3({ secretName: "a" }), s3({ secretName: "b" }), [basic, other], true],
        [
            "a bucket of a name that other parts of AWS may have too",
            s3(),
            s3({ region: "cn-north-1" }),
            [basic, basic],
            false,
        ],
        ["a bucket of Google", gcs(), gcs(), [undefined, undefined], true],
        ["an account of Azure", azblob(), azblob(), [basic, other], true],
        ["an account of a Secret, of one cluster", ofSecret, ofSecret, [basic, basic], true],
        ["an account of a Secret, of clusters in two Kubernetes clusters", ofSecret, ofSecret, [basic, other], false],
        ["an endpoint, of one cluster", minio, minio, [basic, basic], true],
        ["an endpoint, of clusters in two Kubernetes clusters", minio, minio, [basic, other], false],
        ["an endpoint, of clusters in two namespaces", minio, minio, [basic, beside], false],
        ["an endpoint, seen from nobody knows where", minio, minio, [undefined, undefined], false],
        ["an endpoint with other keys", minio, s3({ ...minio.s3, secretName: "other" }), [basic, basic], false],
        ["a volume, of one cluster", local(nfs), local(nfs), [basic, basic], true],
        [
            "variables that may lead elsewhere",
            adding(s3(), { env: [{ name: "A", value: "1" }] }),
            s3(),
            [basic, basic],
            false,
        ],
        [
            "the same variables, of one cluster",
            ...twice(adding(s3(), { env: [{ name: "A", value: "1" }] })),
            [basic, basic],
            true,
        ],
        [
            "the same variables, of two clusters",
            ...twice(adding(s3(), { env: [{ name: "A", value: "1" }] })),
            [basic, other],
            false,
        ],
        [
            "options that may lead elsewhere",
            adding(s3(), { br: { cluster: "basic", options: ["--x"] } }),
            s3(),
            [basic, basic],
            false,
        ],
        ["another account of the service", adding(minio, { serviceAccount: "a" }), minio, [basic, basic], false],
        ["a dump and one below it", dump("dumps"), dump("dumps/monday"), [basic, basic], false],
        ["two dumps in one path", dump("dumps"), dump("dumps/"), [basic, basic], true],
    ] as const) {
        it(`are ${isSure ? "" : "not "}those with ${what}`, () => {
            const places = [one, two].map((spec, index) =>
                place(`Backup ${index}`, spec, undefined, undefined, clusters[index]),
            );
            assert.equal(samePlace(places[1], [places[0]])?.isSure, isSure);
        });
    }

    it("are told before those that perhaps do", () => {
        const places = [
            place("Backup one", minio, undefined, undefined, other),
            place("Backup two", minio, undefined, undefined, basic),
        ];
        const found = samePlace(place("Backup three", minio, undefined, undefined, basic), places);
        assert.equal(found?.isSure, true);
        repeats(found?.words, "Backup two");
    });
});

describe("backups that each have a folder of their own in a path, as of a schedule or before an upgrade", () => {
    for (const [what, of, backup, isClash] of [
        ["at the path of a Backup", s3(), s3(), true],
        ["below it", s3({ prefix: "full/upgrades" }), s3(), true],
        ["at the path of a dump", s3(), dump("full"), true],
        ["in the root, where a Backup writes too", s3({ prefix: "" }), s3({ prefix: "" }), true],
        ["in a bucket whose root a Backup fills", s3(), s3({ prefix: "" }), true],
        ["in a volume whose root a Backup fills", local(nfs), local(nfs, { prefix: "" }), true],
        ["beside a Backup, above it", s3({ prefix: "all" }), s3({ prefix: "all/monday" }), false],
        ["in another storage", gcs(), s3(), false],
        ["in another path", s3({ prefix: "full-2" }), s3(), false],
    ] as const) {
        it(`${isClash ? "clash" : "do not clash"} ${what}, whichever of the two comes first`, () => {
            const one = place("Backup two", backup);
            const found = [samePlace(one, [folders(of)]), samePlace(folders(of), [one])];
            assert.deepEqual(
                found.map((words) => words?.isSure),
                isClash ? [false, false] : [undefined, undefined],
            );
        });
    }

    it("do not clash with each other", () =>
        assert.equal(samePlace(folders(s3()), [folders(s3(), "Other")]), undefined));

    it("are named with the field that says where they are", () =>
        repeats(
            samePlace(folders(s3({ prefix: "full/upgrades" })), [place("Backup two", s3())])?.words,
            ...['spec.backupTemplate.s3.prefix: found "full/upgrades"', "Backup two", "s3://b/full"],
        ));
});

describe("a backup at the root of its storage", () => {
    for (const [what, spec, isRoot] of [
        ["a bucket", s3({ prefix: undefined }), true],
        ["a bucket with slashes", s3({ prefix: "/" }), true],
        ["Google's storage", gcs({ prefix: "" }), true],
        ["a container", azblob({ prefix: "" }), true],
        ["a volume", local(nfs, { prefix: "" }), true],
        ["a path", s3(), false],
        ["a path that is given with the bucket", s3({ bucket: "b/full", prefix: "" }), false],
        ["a path of a volume", local(nfs), false],
        ["a path of a mount", local(nfs, { prefix: "" }, { subPath: "full" }), false],
    ] as const) {
        it(`is ${isRoot ? "" : "not "}one in ${what}`, () =>
            assert.equal(rootCaution(manifest(spec).spec) !== "", isRoot));
    }

    it("is said with the field", () =>
        repeats(rootCaution(manifest(s3({ prefix: "" })).spec), "`spec.s3.prefix`", "s3://b"));
});
