import * as fs from "node:fs";
import * as path from "node:path";
import { missingImageTag } from "../../controlPlane/stages";

/** A program of a member, and where images have it. */
interface MemberProgram {
    /** The file's name. */
    program: string;
    /** Its path in the image, which start scripts run. */
    at: string;
    /** Its folder in `~/.tiup/components`. */
    component: string;
    /** Arguments with which it listens on an address only, if start scripts give none for it. */
    listens?: (address: string) => readonly string[];
}

const programs = {
    pd: { program: "pd-server", at: "/pd-server", component: "pd" },
    tso: { program: "pd-server", at: "/pd-server", component: "pd" },
    scheduling: { program: "pd-server", at: "/pd-server", component: "pd" },
    tikv: { program: "tikv-server", at: "/tikv-server", component: "tikv" },
    tidb: {
        program: "tidb-server",
        at: "/tidb-server",
        component: "tidb",
        listens: (address) => [`--status-host=${address}`],
    },
    ticdc: { program: "cdc", at: "/cdc", component: "cdc" },
} satisfies Record<string, MemberProgram>;

/** A member whose pods can run as processes. TiFlash, TiProxy and Pump are not: their configuration, too, says where they listen. */
export type ProcessMember = keyof typeof programs;

const processMembers = Object.keys(programs) as ProcessMember[];

/** A program of this machine that takes the place of an image's. */
export interface Binary {
    file: string;
    /** The path in the image. */
    at: string;
    listens(address: string): readonly string[];
}

/** The programs of members in folders of this machine. */
export interface Binaries {
    /** The members that have a program. PD and TiKV are always among them. */
    readonly members: readonly ProcessMember[];
    /** Those of the table that have none. Their pods stay simulated. */
    readonly simulated: readonly ProcessMember[];
    /** Returns the program for an image, and its path there. Undefined if there are only programs of other versions. */
    find(member: ProcessMember, image: string): Binary | undefined;
    /** Returns what to do about an image without a program, in the words of a failed pull. */
    missing(member: ProcessMember, image: string): string;
}

/**
 * Searches for the members' programs. A folder has them by name (`tikv-server`, for any version; `tikv-server-v8.5.4` for one), or as tiup
 * keeps them (`tikv/v8.5.4/tikv-server`).
 * @param folders one folder, or several separated as in `PATH`.
 * @throws if PD or TiKV has no program: a simulated store does not register with a real PD
 */
export function searchBinaries(folders: string): Binaries {
    const searched = folders
        .split(path.delimiter)
        .filter((folder) => folder !== "")
        .map((folder) => path.resolve(folder));
    const hasAny = (member: ProcessMember): boolean => {
        const { program, component } = programs[member];
        return searched.some(
            (folder) =>
                filesIn(folder).some((name) => name === program || name.startsWith(`${program}-v`)) ||
                filesIn(path.join(folder, component)).some((version) =>
                    isProgram(path.join(folder, component, version, program)),
                ),
        );
    };
    const members = processMembers.filter(hasAny);
    const needed = (["pd", "tikv"] as const).filter((member) => !members.includes(member));
    if (needed.length > 0) {
        const names = needed.map((member) => programs[member].program).join(" and ");
        throw new Error(
            `found no ${names} in ${folders}: expected the file, or tiup's COMPONENT/VERSION/FILE, as in ~/.tiup/components`,
        );
    }
    return {
        members,
        simulated: processMembers.filter((member) => !members.includes(member)),
        find: (member, image) => {
            const { program, at, component, listens = () => [] }: MemberProgram = programs[member];
            const tag = imageTag(image);
            if (tag === missingImageTag) {
                return undefined;
            }
            const file = searched
                .flatMap((folder) => [
                    path.join(folder, component, tag, program),
                    path.join(folder, `${program}-${tag}`),
                    path.join(folder, program),
                ])
                .find(isProgram);
            return file === undefined ? undefined : { file, at, listens };
        },
        missing: (member, image) => {
            const { program, component } = programs[member];
            const tag = imageTag(image);
            return `Back-off pulling image ${image}: no ${program} of ${tag} in ${folders}: tiup install ${component}:${tag}`;
        },
    };
}

function imageTag(image: string): string {
    return /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1] ?? "latest";
}

function filesIn(folder: string): string[] {
    return fs.existsSync(folder) && fs.statSync(folder).isDirectory() ? fs.readdirSync(folder) : [];
}

function isProgram(file: string): boolean {
    return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
