import { posix } from "node:path";
import type { MemberSpec } from "../kubernetes/memberDescription";
import type { Container, Volume, VolumeMount } from "../kubernetes/pod";
import type { KubernetesObject } from "../kubernetes/object";
import { type Member, membersOf } from "../members";
import { specError, type SpecProblem } from "../problem";
import type { RenderedCluster } from "../render";
import type { TidbClusterSpec } from "../spec";
import { type DataFolder, foldersOf, type MemberFolders } from "./dataFolders";
import { shown } from "./path";

/** Volumes whose content ends with the pod, or that hold no data of it. */
const passing = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "gitRepo", "image", "projected", "secret"];

/** Of these, the volumes that a member can write to: it could keep data in one that is below its data folder. */
const writable = ["csi", "emptyDir", "ephemeral"];

/** A mount of the member's container. */
interface Mount {
    readonly path: string;
    readonly volume: string;
    /** Kind of the volume, if it ends with the pod. */
    readonly passing?: string;
    readonly isReadOnly: boolean;
}

/**
 * Refuses folders of data that are on no volume, or on one that ends with the pod: each restart would lose a store's data, and the
 * gates would go on to the next store. A path is on the volume whose mount is nearest to it.
 *
 * @param cluster A cluster without other errors.
 */
export function dataPathProblems({ manifest, members }: RenderedCluster): SpecProblem[] {
    return membersOf(manifest.spec).flatMap((member) => {
        const folders = foldersOf(manifest, member);
        const rendered = members[member.component];
        if (folders === undefined || rendered === undefined) {
            return [];
        }
        const mounts = mountsOf(member, rendered.statefulSet);
        const lost = folders.data.filter(({ path }) => !isKept(nearest(mounts, path)));
        const hiding = new Set([
            ...lost.flatMap(({ path }) => nearest(mounts, path) ?? []),
            ...folders.data.flatMap(({ path }) => writableBelow(mounts, path, folders)),
        ]);
        const named = lost.filter(({ setting }) => setting !== undefined).map(({ path }) => nearest(mounts, path));
        return [
            ...lost.flatMap((folder) => settingProblems(mounts, folder)),
            ...[...hiding]
                .filter((mount) => !named.includes(mount))
                .map((mount) => mountProblem(fieldOf(member, manifest.spec, mount), mount, folders.data)),
        ];
    });
}

/** @returns the mounts of the member's container. A claim takes the place of a volume of its name. */
function mountsOf({ component }: Member, { spec }: KubernetesObject): Mount[] {
    const { template, volumeClaimTemplates = [] } = spec as StatefulSetSpec;
    const { volumes = [], containers } = template.spec;
    const claims = volumeClaimTemplates.map(({ metadata }) => metadata.name);
    const container = containers.find(({ name }) => name === component);
    return ((container?.volumeMounts ?? []) as VolumeMount[]).map(({ mountPath, name, readOnly }) => {
        const volume = claims.includes(name) ? undefined : volumes.find((one) => one.name === name);
        return {
            path: posix.resolve("/", mountPath),
            volume: name,
            passing: passingKind(volume),
            isReadOnly: readOnly === true || (volume?.csi as { readOnly?: boolean } | undefined)?.readOnly === true,
        };
    });
}

interface StatefulSetSpec {
    readonly template: { readonly spec: { readonly volumes?: Volume[]; readonly containers: Container[] } };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
}

/** A volume without a source is an emptyDir (Kubernetes: defaults of core/v1 Volume). */
function passingKind(volume: Volume | undefined): string | undefined {
    const sources = Object.entries(volume ?? {}).flatMap(([field, value]) =>
        field === "name" || value === undefined || value === null ? [] : [field],
    );
    const isEmpty = volume !== undefined && sources.length === 0;
    return isEmpty ? "emptyDir" : sources.find((source) => passing.includes(source));
}

/** @returns the mount on which a path is. Of two at the same path the later one is on top. */
function nearest(mounts: readonly Mount[], path: string): Mount | undefined {
    return mounts
        .filter((mount) => isWithin(path, mount.path))
        .reduce<Mount | undefined>(
            (best, mount) => (best && best.path.length > mount.path.length ? best : mount),
            undefined,
        );
}

function isKept(mount: Mount | undefined): boolean {
    return mount !== undefined && mount.passing === undefined;
}

/** @returns the mounts below a folder in which a member could keep data until its pod ends, except those of its logs and caches. */
function writableBelow(mounts: readonly Mount[], path: string, { passing, logVolumes }: MemberFolders): Mount[] {
    const allowed = passing.map((one) => nearest(mounts, one));
    return mounts.filter(
        (mount) =>
            mount.passing !== undefined &&
            writable.includes(mount.passing) &&
            !mount.isReadOnly &&
            mount.path !== path &&
            isWithin(mount.path, path) &&
            !allowed.includes(mount) &&
            !logVolumes.includes(mount.volume),
    );
}

function settingProblems(mounts: readonly Mount[], { path, setting }: DataFolder): SpecProblem[] {
    const on = nearest(mounts, path);
    const kept = mounts.filter(isKept).map((mount) => mount.path);
    const why =
        on === undefined
            ? "no other path outlives the pod: a restart would lose the data in it"
            : `${on.path} is on a volume (${on.passing}) that ends with the pod: a restart would lose the data in it`;
    return setting === undefined
        ? []
        : [specError(setting.field, shown(setting.words), `a folder in a volume: ${kept.join(", ")}`, why)];
}

function mountProblem(field: string, { path, passing }: Mount, data: readonly DataFolder[]): SpecProblem {
    const folder = data.find((one) => isWithin(one.path, path)) ?? data.find((one) => isWithin(path, one.path));
    return specError(
        field,
        shown(path),
        `a path that holds none of the data in ${folder?.path}`,
        `the volume (${passing}) ends with the pod: a restart would lose what is in it`,
    );
}

/** @returns the last field that mounts something at the path. */
function fieldOf(member: Member, spec: TidbClusterSpec, { path }: Mount): string {
    const at = member.pathIn(spec);
    const { additionalContainers = [], additionalVolumeMounts = [] } = member.specOf(spec) as MemberSpec;
    const lists: [string, readonly VolumeMount[]][] = [
        [`${at}.additionalVolumeMounts`, additionalVolumeMounts],
        ...additionalContainers.map(({ name, volumeMounts = [] }, index): [string, readonly VolumeMount[]] => [
            `${at}.additionalContainers[${index}].volumeMounts`,
            name === member.component ? (volumeMounts as VolumeMount[]) : [],
        ]),
    ];
    const fields = lists.flatMap(([list, mounts]) =>
        mounts.flatMap(({ mountPath }, index) =>
            posix.resolve("/", mountPath) === path ? [`${list}[${index}].mountPath`] : [],
        ),
    );
    return fields.at(-1) ?? at;
}

function isWithin(path: string, folder: string): boolean {
    return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
}
