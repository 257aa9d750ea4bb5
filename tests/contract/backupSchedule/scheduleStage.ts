import * as fs from "node:fs";
import * as path from "node:path";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { checkSchedule } from "../../../components/br/schedule/checkSchedule";
import { renderSchedule } from "../../../components/br/schedule/renderSchedule";
import type { PlayedContainer } from "../../support/recorders/runContainer";

/** What begins the name of each folder of the schedule `nightly` of the cluster db/basic. */
export const own = "basic-pd.db-2379-nightly-";

/** @returns the pod that a schedule runs, with its containers in the order in which they run. */
export function containersOf(spec: object): PlayedContainer[] {
    const manifest = checkSchedule({
        metadata: { name: "nightly", namespace: "db" },
        spec: { schedule: "0 2 * * *", ...spec },
    });
    const cluster = { name: "basic", namespace: "db", version: "v8.5.3", tls: false };
    const { cronJob } = renderSchedule(manifest, cluster);
    const { jobTemplate } = cronJob.spec as { jobTemplate: { spec: { template: { spec: KubernetesFields } } } };
    const pod = jobTemplate.spec.template.spec;
    return [...((pod.initContainers as never[] | undefined) ?? []), ...(pod.containers as never[])];
}

/** A backup in a folder: which files it has, and how many hours ago each was written. */
export type PlayedBackup = Readonly<Record<string, number>>;

const complete = (hours: number): PlayedBackup => ({
    "backup.lock": hours + 1,
    "1/a.sst": hours + 0.5,
    backupmeta: hours,
    "pulumi-tidb.complete": 0,
});

/** Backups as runs leave them. */
export const played = {
    complete,
    /** BR was killed, or runs. */
    begun: (hours: number): PlayedBackup => ({ "backup.lock": hours + 1, "1/a.sst": hours }),
    /** BR wrote backupmeta, and then found that the checksums differ. */
    unsure: (hours: number): PlayedBackup => ({ "backup.lock": hours + 1, backupmeta: hours }),
};

const version = Buffer.from('"8.5.3"');

/** How `backupmeta` of BR begins, by pingcap/kvproto brpb.proto: field 1, a varint with the ID of the cluster; field 2, its version. */
export const metaOf = (...id: number[]): Buffer =>
    Buffer.concat([Buffer.from([0x08, ...id, 0x12, version.length]), version, Buffer.from("rest")]);

/** The ID 7,300,000,000,000,000,000, as PD gives them. */
export const ownMeta = metaOf(0x80, 0x80, 0xa8, 0xf8, 0xfc, 0xd4, 0xb8, 0xa7, 0x65);

/** Writes a folder, as if the time of each file were that of the storage. @param meta the content of its backupmeta. */
export function writeBackup(folder: string, files: PlayedBackup, meta = ownMeta): void {
    for (const [name, hours] of Object.entries(files)) {
        const file = path.join(folder, name);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, name === "backupmeta" ? meta : "x");
        const seconds = Date.now() / 1000 - hours * 3600;
        fs.utimesSync(file, seconds, seconds);
    }
}
