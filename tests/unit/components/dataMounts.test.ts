import assert from "node:assert/strict";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";

type Row = readonly [what: string, change: (manifest: OpenManifest) => void, field: string];

/** Mounts a volume in a member's container. Default: an emptyDir. */
function mount(holder: OpenManifest["spec"], mountPath: string, source: object = { emptyDir: {} }): void {
    const volumes = (holder.additionalVolumes ??= []) as object[];
    const name = `more-${volumes.length}`;
    volumes.push({ name, ...source });
    ((holder.additionalVolumeMounts ??= []) as object[]).push({ name, mountPath });
}

const flash = (): OpenManifest["spec"] => ({
    replicas: 1,
    storageClaims: [{ resources: { requests: { storage: "10Gi" } } }, { resources: { requests: { storage: "10Gi" } } }],
});

const firstMount = (member: string) => `spec.${member}.additionalVolumeMounts[0].mountPath`;

const lost: Row[] = [
    [
        "the Raft log in a folder of the data volume that has an emptyDir on it",
        ({ spec }) => {
            spec.tikv.config = { "raft-engine": { dir: "/var/lib/tikv/re" } };
            mount(spec.tikv, "/var/lib/tikv/re");
        },
        "spec.tikv.config.raft-engine.dir",
    ],
    [
        "the write-ahead log below such a folder",
        ({ spec }) => {
            spec.tikv.config = { rocksdb: { "wal-dir": "/var/lib/tikv/fast/wal" } };
            mount(spec.tikv, "/var/lib/tikv/fast/");
        },
        "spec.tikv.config.rocksdb.wal-dir",
    ],
    [
        "the Raft log in its default folder",
        ({ spec }) => mount(spec.tikv, "/var/lib/tikv/raft-engine"),
        firstMount("tikv"),
    ],
    ["a store's data in their default folder", ({ spec }) => mount(spec.tikv, "/var/lib/tikv/db"), firstMount("tikv")],
    [
        "a store's data, by an ephemeral claim",
        ({ spec }) => mount(spec.tikv, "/var/lib/tikv/db", { ephemeral: { volumeClaimTemplate: { spec: {} } } }),
        firstMount("tikv"),
    ],
    [
        "a store's data, by a volume without a source",
        ({ spec }) => mount(spec.tikv, "/var/lib/tikv/db", {}),
        firstMount("tikv"),
    ],
    [
        "a store's data, with another spelling of the data volume's path",
        ({ spec }) => mount(spec.tikv, "/var/lib/tikv/"),
        firstMount("tikv"),
    ],
    [
        "what a later version of TiKV keeps in its data folder",
        ({ spec }) => mount(spec.tikv, "/var/lib/tikv/tablets"),
        firstMount("tikv"),
    ],
    [
        "a store's data in dataSubDir",
        ({ spec }) => {
            spec.tikv.dataSubDir = "store/";
            mount(spec.tikv, "/var/lib/tikv/store");
        },
        firstMount("tikv"),
    ],
    [
        "a store's data that a log shares its folder with",
        ({ spec }) => {
            spec.tikv.config = { log: { file: { filename: "/var/lib/tikv/db/tikv.log" } } };
            mount(spec.tikv, "/var/lib/tikv/db");
        },
        firstMount("tikv"),
    ],
    [
        "a store's data, by a change of the rendered container",
        ({ spec }) => {
            spec.tikv.additionalVolumes = [{ name: "fast", emptyDir: {} }];
            spec.tikv.additionalContainers = [
                { name: "tikv", image: "x:1", volumeMounts: [{ name: "fast", mountPath: "/var/lib/tikv" }] },
            ];
        },
        "spec.tikv.additionalContainers[0].volumeMounts[0].mountPath",
    ],
    ["PD's etcd", ({ spec }) => mount(spec.pd, "/var/lib/pd/member"), firstMount("pd")],
    [
        "PD's etcd in dataSubDir",
        ({ spec }) => {
            spec.pd.dataSubDir = "one/two";
            mount(spec.pd, "/var/lib/pd/one");
        },
        firstMount("pd"),
    ],
    [
        "TiFlash's copies in their default folder",
        ({ spec }) => mount((spec.tiflash = flash()), "/data0/db"),
        firstMount("tiflash"),
    ],
    [
        "TiFlash's copies in a later volume",
        ({ spec }) => mount((spec.tiflash = flash()), "/data1/db"),
        firstMount("tiflash"),
    ],
    [
        "the data of TiFlash's proxy",
        ({ spec }) => mount((spec.tiflash = flash()), "/data0/proxy/db"),
        firstMount("tiflash"),
    ],
    [
        "TiFlash's Raft data in a folder of its configuration",
        ({ spec }) => {
            spec.tiflash = { ...flash(), config: { config: { storage: { raft: { dir: ["/data0/kv"] } } } } };
            mount(spec.tiflash, "/data0/kv");
        },
        "spec.tiflash.config.config.storage.raft.dir",
    ],
];

const kept: readonly (readonly [what: string, change: (manifest: OpenManifest) => void])[] = [
    ["an emptyDir next to the data", ({ spec }) => mount(spec.tikv, "/var/lib/tikv-scratch")],
    [
        "an emptyDir next to dataSubDir",
        ({ spec }) => {
            spec.tikv.dataSubDir = "store";
            mount(spec.tikv, "/var/lib/tikv/scratch");
        },
    ],
    [
        "a volume of the log below the data folder",
        ({ spec }) => {
            spec.tikv.config = { log: { file: { filename: "/var/lib/tikv/log/tikv.log" } } };
            mount(spec.tikv, "/var/lib/tikv/log");
            spec.pd.config = { log: { file: { filename: "/var/lib/pd/log/pd.log" } } };
            mount(spec.pd, "/var/lib/pd/log");
        },
    ],
    [
        "a volume for the logs of the engines",
        ({ spec }) => {
            Object.assign(spec.tikv, { separateRocksDBLog: true, rocksDBLogVolumeName: "more-0" });
            mount(spec.tikv, "/var/lib/tikv/engine-log");
        },
    ],
    [
        "a volume of storageVolumes below the data folder",
        ({ spec }) => {
            spec.tikv.storageVolumes = [{ name: "raft", storageSize: "9Gi", mountPath: "/var/lib/tikv/raft-engine" }];
            spec.pd.storageVolumes = [{ name: "etcd", storageSize: "9Gi", mountPath: "/var/lib/pd/member" }];
        },
    ],
    [
        "a host's disk in an emptyDir, which is nearest",
        ({ spec }) => {
            spec.tikv.config = { rocksdb: { "wal-dir": "/fast/disk/wal" } };
            mount(spec.tikv, "/fast");
            mount(spec.tikv, "/fast/disk", { hostPath: { path: "/mnt" } });
        },
    ],
    [
        "volumes of keys and settings, which hold no data",
        ({ spec }) => {
            mount(spec.tikv, "/etc/keys", { secret: { secretName: "keys" } });
            mount(spec.tikv, "/var/lib/tikv/keys", { secret: { secretName: "keys" } });
            mount(spec.tikv, "/var/lib/tikv/tls", { csi: { driver: "secrets-store.csi.k8s.io", readOnly: true } });
            mount(spec.pd, "/var/run/token", { projected: { sources: [] } });
        },
    ],
    [
        "TiFlash's logs and temporary files",
        ({ spec }) => {
            spec.tiflash = { ...flash(), config: { config: { storage: { main: { dir: ["/data0", "/data1"] } } } } };
            mount(spec.tiflash, "/data0/logs");
            mount(spec.tiflash, "/data0/tmp");
        },
    ],
    [
        "the folders of members that keep nothing",
        ({ spec }) => {
            spec.ticdc = { replicas: 1, config: {} };
            mount(spec.ticdc, "/tmp/cdc_data");
            mount(spec.tidb, "/tmp");
        },
    ],
];

const errorsOf = (change: (manifest: OpenManifest) => void) =>
    problemsOf(smallCluster(change)).filter(({ severity }) => severity === "error");

describe("data that a restart loses, because the volume nearest to them ends with the pod", () => {
    for (const [what, change, field] of lost) {
        it(what, () => {
            const errors = errorsOf(change);
            assert.deepEqual(
                errors.map((error) => error.field),
                [field],
            );
            assert.ok(errors[0].message.length - field.length <= 200, errors[0].message);
        });
    }
    for (const [what, change] of kept) {
        it(`is not said of ${what}`, () => assert.deepEqual(errorsOf(change), []));
    }
});
