import { posix } from "node:path";
import type { Component } from "../../topology/members";
import { memberImage } from "../cluster";
import { configValue, type TomlTable, type TomlValue } from "../kubernetes/toml";
import type { Member } from "../members";
import { tiflashConfig } from "../tiflash/config";
import type { TidbClusterManifest } from "../spec";
import type { TiflashSpec } from "../tiflash/spec";
import { memberConfigs } from "./memberConfigs";

/** A folder in which a member keeps data that it cannot do without. */
export interface DataFolder {
    /** Absolute path in the member's container. */
    readonly path: string;
    /** The user's setting that names it: its path in the manifest, and its words. Default: the start script or the member names it. */
    readonly setting?: { readonly field: string; readonly words: string };
}

/** The folders of a member by their purpose. */
export interface MemberFolders {
    readonly data: readonly DataFolder[];
    /** Paths of logs and of temporary files, which may end with the pod. */
    readonly passing: readonly string[];
    /** Names of volumes that are only for logs. */
    readonly logVolumes: readonly string[];
}

/** Settings that name paths, by the configuration of a member in which they are. */
type Settings = Readonly<Record<string, readonly string[]>>;

interface FolderRules {
    /** The data folder that the start script sets. `spec.<member>.dataSubDir` is below it. Default: the configuration names them all. */
    readonly root?: string;
    /** What the member keeps in that folder, whatever its configuration says. */
    readonly below?: readonly string[];
    readonly data?: Settings;
    readonly passing?: Settings;
    /** Fields of the spec that name volumes of logs. */
    readonly logVolumes?: readonly string[];
}

/** Folders of a store's engines outside of its data folder. */
const engineFolders = [
    "raft-engine.dir",
    "raft-engine.spill-dir",
    "raft-store.raftdb-path",
    "raftdb.titan.dirname",
    "raftdb.wal-dir",
    "rocksdb.titan.dirname",
    "rocksdb.wal-dir",
];

const storeLogs = ["log-file", "log.file.filename", "raftdb.info-log-dir", "rocksdb.info-log-dir", "slow-log-file"];

/**
 * The folders of each member that keeps data. TiCDC's and TiDB's folders are caches, and TiProxy's holds only certificates: they may
 * end with the pod.
 */
const rules: Readonly<Partial<Record<Component, FolderRules>>> = {
    pd: { root: "/var/lib/pd", below: ["member"], passing: { config: ["log-file", "log.file.filename"] } },
    tikv: {
        root: "/var/lib/tikv",
        below: ["db", "import", "raft", "raft-engine", "snap"],
        data: { config: engineFolders },
        passing: { config: [...storeLogs, "log-backup.temp-path"] },
        logVolumes: ["raftLogVolumeName", "rocksDBLogVolumeName"],
    },
    tiflash: {
        data: {
            "config.config": [
                "flash.proxy.data-dir",
                "path",
                "raft.kvstore_path",
                "storage.latest.dir",
                "storage.main.dir",
                "storage.raft.dir",
            ],
            "config.proxy": [...engineFolders, "storage.data-dir"],
        },
        passing: {
            "config.config": [
                "flash.flash_cluster.log",
                "flash.proxy.log-file",
                "logger.errorlog",
                "logger.log",
                "storage.remote.cache.dir",
                "tmp_path",
            ],
            "config.proxy": storeLogs,
        },
    },
    // Binlogs that Drainer has not read yet.
    pump: { root: "/data" },
};

/** @returns the folders of a member; undefined if it keeps no data. */
export function foldersOf(manifest: TidbClusterManifest, member: Member): MemberFolders | undefined {
    const { spec } = manifest;
    const own = rules[member.component];
    if (own === undefined) {
        return undefined;
    }
    const given = memberConfigs(spec, member);
    const fields = member.specOf(spec) as unknown as Readonly<Record<string, string | undefined>>;
    const root = own.root === undefined ? [] : [posix.resolve(own.root, fields.dataSubDir ?? "")];
    const effective = effectiveConfigs(manifest, member);
    const pathsIn = (settings: Settings = {}): DataFolder[] =>
        Object.entries(settings).flatMap(([configField, keys]) =>
            keys.flatMap((key) => {
                const isGiven = configValue(given[configField] ?? {}, key) !== undefined;
                const field = `${member.pathIn(spec)}.${configField}.${key}`;
                return wordsOf(configValue(effective[configField] ?? {}, key)).map((words) => ({
                    path: posix.resolve("/", words),
                    ...(isGiven ? { setting: { field, words } } : {}),
                }));
            }),
        );
    return {
        data: [
            ...root
                .flatMap((path) => [path, ...(own.below ?? []).map((name) => posix.join(path, name))])
                .map((path) => ({ path })),
            ...pathsIn(own.data),
        ],
        passing: pathsIn(own.passing).map(({ path }) => path),
        logVolumes: (own.logVolumes ?? []).flatMap((field) => fields[field] ?? []),
    };
}

/** TiFlash's own defaults are in the image; this package writes those that the data depend on into its configuration. */
function effectiveConfigs(manifest: TidbClusterManifest, member: Member): Record<string, TomlTable> {
    if (member.component !== "tiflash") {
        return memberConfigs(manifest.spec, member);
    }
    const spec = member.specOf(manifest.spec) as TiflashSpec;
    const { config, proxy } = tiflashConfig(manifest, spec, memberImage(manifest, spec));
    return { "config.config": config, "config.proxy": proxy };
}

/**
 * An empty setting is the default, in the data folder. A list of folders may be text with commas, as TiFlash's `path` is. A path that is
 * not absolute begins in the container's root folder.
 */
function wordsOf(value: TomlValue | undefined): string[] {
    const values = Array.isArray(value) ? value : [value];
    return values
        .flatMap((one) => (typeof one === "string" ? one.split(",") : []))
        .map((path) => path.trim())
        .filter((path) => path !== "");
}
