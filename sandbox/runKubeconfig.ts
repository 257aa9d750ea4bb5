import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { renderKubeconfig } from "./controlPlane/kubeconfig";
import { layoutOf } from "./controlPlane/layout";
import { makeFolder } from "./controlPlane/makeFolder";
import { isRunning } from "./controlPlane/processes";
import type { SandboxState } from "./controlPlane/registry";

/** How a run of the sandbox's own engine reaches the sandbox. */
export interface RunKubeconfig {
    /** The path of the kubeconfig. It has one context. The path is the same in each run, because states may hold it. */
    file: string;
    /** The URL of the API server. */
    server: string;
    /** PEM text of the API server's certificate. */
    certificateAuthority: string;
    /** Removes the file, unless another run still uses it. */
    remove(): void;
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
        if (!isUsed(runs)) {
            fs.rmSync(file, { force: true });
        }
    };
    makeFolder(runs, 0o700);
    fs.writeFileSync(marker, "");
    const fresh = `${file}.${randomBytes(3).toString("hex")}`;
    fs.writeFileSync(fresh, renderKubeconfig({ name, server, certificateAuthority, token }), { mode: 0o600 });
    fs.renameSync(fresh, file); // Another run may be reading it.
    return { file, server, certificateAuthority, remove };
}

/** Whether a running process has its marker, a file named after its id, in the folder. */
function isUsed(runs: string): boolean {
    return fs.existsSync(runs) && fs.readdirSync(runs).some((name) => isRunning(Number(name)));
}
