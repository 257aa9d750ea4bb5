import { posix } from "node:path";
import type { Component } from "../../topology/members";
import type { Container, KubernetesFields, VolumeMount } from "../kubernetes/pod";
import { configValue, type TomlValue } from "../kubernetes/toml";
import { membersOf } from "../members";
import { specError, type SpecProblem } from "../problem";
import type { RenderedCluster } from "../render";
import { memberConfigs } from "./memberConfigs";
import { shown } from "./path";

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

/**
 * Settings that name folders in which a member keeps data that it cannot do without, by its configuration. What the start script sets,
 * such as the data folder of PD, TiKV and Pump, is not listed, nor are folders of caches and logs.
 */
const dataFolders: Readonly<Partial<Record<Component, Readonly<Record<string, readonly string[]>>>>> = {
    tikv: { config: engineFolders },
    tiflash: {
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
};

/** Volumes whose content ends with the pod, or that hold no data of it. */
const passing = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "projected", "secret"];

/**
 * Refuses folders of data that are on no volume, or on one that ends with the pod: each restart would lose a store's data, and the
 * gates would go on to the next store.
 *
 * @param cluster A cluster without other errors.
 */
export function dataPathProblems({ manifest, members }: RenderedCluster): SpecProblem[] {
    return membersOf(manifest.spec).flatMap((member) => {
        const folders = dataFolders[member.component];
        const rendered = members[member.component];
        if (folders === undefined || rendered === undefined) {
            return [];
        }
        const kept = keptMounts(member.component, rendered.statefulSet.spec as unknown as StatefulSetSpec);
        return Object.entries(memberConfigs(manifest.spec, member)).flatMap(([field, config]) =>
            (folders[field] ?? []).flatMap((key) =>
                pathsOf(configValue(config, key))
                    .filter((path) => !kept.some((mount) => isWithin(path, mount)))
                    .map((path) =>
                        specError(
                            `${member.pathIn(manifest.spec)}.${field}.${key}`,
                            shown(path),
                            `a folder in a volume: ${kept.join(", ")}`,
                            "no other path outlives the pod: a restart would lose the data in it",
                        ),
                    ),
            ),
        );
    });
}

interface StatefulSetSpec {
    readonly template: { readonly spec: KubernetesFields };
}

/** @returns where the member's container mounts volumes that outlive the pod. */
function keptMounts(component: Component, { template: { spec: pod } }: StatefulSetSpec): string[] {
    const lost = ((pod.volumes ?? []) as KubernetesFields[])
        .filter((volume) => passing.some((source) => volume[source] !== undefined))
        .map(({ name }) => name as string);
    const container = (pod.containers as Container[]).find(({ name }) => name === component);
    const mounts = (container?.volumeMounts ?? []) as VolumeMount[];
    return mounts.filter(({ name }) => !lost.includes(name)).map(({ mountPath }) => mountPath);
}

/** An empty setting is the default, in the data folder. A list of folders may be text with commas, as TiFlash's `path` is. */
function pathsOf(value: TomlValue | undefined): string[] {
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one) =>
        typeof one === "string"
            ? one
                  .split(",")
                  .map((path) => path.trim())
                  .filter((path) => path !== "")
            : [],
    );
}

/** A path that is not absolute begins in the container's root folder. */
function isWithin(path: string, mount: string): boolean {
    return posix.resolve("/", path) === posix.resolve("/", mount) || isBelow(path, mount);
}

function isBelow(path: string, mount: string): boolean {
    const base = posix.resolve("/", mount);
    return posix.resolve("/", path).startsWith(base === "/" ? base : `${base}/`);
}
