import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import * as path from "node:path";
import type { StatusDocument } from "../../../status/clusterStatus";
import type { ClusterSweep } from "../../../sweep/clusterSweep";
import type { TestStack } from "./stack";

/** What a command of `pulumi-tidb` that reads a cluster said. */
interface Said<Document> {
    readonly exitCode: number;
    readonly errors: string;
    readonly document: Document;
}

/** What `pulumi-tidb status` said of a cluster. */
export interface SeenStatus extends Omit<Said<StatusDocument>, "document"> {
    readonly status: StatusDocument;
}

/** The built command, as users run it. */
const command = path.join(path.dirname(createRequire(__filename).resolve("pulumi-tidb")), "bin", "pulumi-tidb.js");

/** Runs `pulumi-tidb status` for the cluster of a stack. @param kubeconfig path of a kubeconfig */
export async function statusOfStack(stack: TestStack, kubeconfig: string): Promise<SeenStatus> {
    const { document: status, ...rest } = await documentOf<StatusDocument>("status", stack, kubeconfig);
    return { ...rest, status };
}

/** Runs `pulumi-tidb sweep` for the cluster of a stack. @throws Error with what it said if it refused */
export function sweepStack(stack: TestStack, kubeconfig: string, ...more: string[]): Promise<Said<ClusterSweep>> {
    return documentOf("sweep", stack, kubeconfig, more);
}

function documentOf<Document>(
    name: string,
    stack: TestStack,
    kubeconfig: string,
    more: readonly string[] = [],
): Promise<Said<Document>> {
    const { cluster, namespace } = stack;
    const args = [name, cluster, "-n", namespace, "--output", "json", "--kubeconfig", kubeconfig, ...more];
    return new Promise((resolve, reject) => {
        execFile(process.execPath, [command, ...args], { timeout: 120_000 }, (error, output, errors) => {
            if (output === "" || error?.killed) {
                reject(new Error(`pulumi-tidb ${args.join(" ")}: ${errors || error?.message}`));
                return;
            }
            const exitCode = typeof error?.code === "number" ? error.code : 0;
            resolve({ exitCode, errors, document: JSON.parse(output) as Document });
        });
    });
}
