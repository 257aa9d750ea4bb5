import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { isNamedBy } from "./chooseSandbox";
import { renderKubeconfig } from "./controlPlane/kubeconfig";
import { layoutOf } from "./controlPlane/layout";
import { makeFolder } from "./controlPlane/makeFolder";
import { isRunning, startMark } from "./controlPlane/processes";
import type { SandboxState } from "./controlPlane/registry";

/** How a run of the sandbox's own engine reaches the sandbox. */
export interface RunKubeconfig {
    /** The path of the kubeconfig. It has one context. The path is the same in each run, because states may hold it. */
    file: string;
    /** The URL of the API server. */
    server: string;
    /** PEM text of the API server's certificate. */
    certificateAuthority: string;
    /** Removes the file, and those of runs that were killed, unless another run still uses it. */
    remove(): void;
}

/** Returns what the user's `KUBECONFIG` names, if it is set and names anything but the sandbox's kubeconfig. A run does not use it. */
export function unusedKubeconfig(variable: string | undefined, sandbox: SandboxState): string | undefined {
    return !variable || isNamedBy(variable, sandbox) ? undefined : variable;
}

/**
 * Writes a kubeconfig for the runs of the sandbox's own engine, from what the control plane recorded. The kubeconfig that
 * users export is not read: tools such as `aws eks update-kubeconfig` add other clusters to it and select them.
 *
 * @throws if the sandbox's record has no API server, or a file of the control plane cannot be read
 */
export function writeRunKubeconfig({ name, folder, server }: SandboxState): RunKubeconfig {
    if (server === undefined) {
        throw new Error(
            `the sandbox "${name}": found no server in ${layoutOf(folder).state}, expected the URL of its API server: ` +
                "stop the sandbox and start it again",
        );
    }
    const { servingCertificate, tokens } = layoutOf(folder);
    const certificateAuthority = fs.readFileSync(servingCertificate, "utf8");
    const [token] = fs.readFileSync(tokens, "utf8").split(",");
    const runs = path.join(folder, "pulumi-runs");
    const file = path.join(runs, "kubeconfig");
    const marker = path.join(runs, String(process.pid));
    const remove = (): void => {
        fs.rmSync(marker, { force: true });
        removeLeftOvers(runs);
    };
    makeFolder(runs, 0o700);
    removeLeftOvers(runs);
    fs.writeFileSync(`${marker}.new`, startMark(process.pid) ?? "");
    fs.renameSync(`${marker}.new`, marker); // Another run may be reading the folder, and would take it for an old one.
    const fresh = `${file}.${randomBytes(3).toString("hex")}`;
    fs.writeFileSync(fresh, renderKubeconfig({ name, server, certificateAuthority, token }), { mode: 0o600 });
    fs.renameSync(fresh, file); // Another run may be reading it.
    return { file, server, certificateAuthority, remove };
}

/**
 * Removes what runs left that were killed: their markers and, unless a run still uses it, the kubeconfig. A marker is a file that
 * is named after a process and contains when the process began: a later process may have the same id.
 */
function removeLeftOvers(runs: string): void {
    if (!fs.existsSync(runs)) {
        return;
    }
    const names = fs.readdirSync(runs);
    const markers = names.filter((name) => /^\d+$/.test(name));
    const isUsed = (marker: string) => isRunning(Number(marker)) && isMarkOf(Number(marker), path.join(runs, marker));
    const used = markers.filter(isUsed);
    // A kubeconfig is written under a name of its own first. A run that is killed then leaves it.
    const kubeconfigs = used.length === 0 ? names.filter((name) => name.startsWith("kubeconfig")) : [];
    for (const name of [...markers.filter((marker) => !used.includes(marker)), ...kubeconfigs]) {
        fs.rmSync(path.join(runs, name), { force: true });
    }
}

function isMarkOf(processId: number, file: string): boolean {
    try {
        return fs.readFileSync(file, "utf8") === (startMark(processId) ?? "");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            return false; // Its run has just ended.
        }
        throw error;
    }
}
