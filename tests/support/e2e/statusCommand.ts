import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import * as path from "node:path";
import type { StatusDocument } from "../../../status/clusterStatus";
import type { TestStack } from "./stack";

/** What `pulumi-tidb status` said of a cluster. */
export interface SeenStatus {
    readonly exitCode: number;
    readonly errors: string;
    readonly status: StatusDocument;
}

/** The built command, as users run it. */
const command = path.join(path.dirname(createRequire(__filename).resolve("pulumi-tidb")), "bin", "pulumi-tidb.js");

/** Runs `pulumi-tidb status` for the cluster of a stack. @param kubeconfig path of a kubeconfig */
export function statusOfStack(stack: TestStack, kubeconfig: string): Promise<SeenStatus> {
    const args = ["status", stack.cluster, "-n", stack.namespace, "--output", "json", "--kubeconfig", kubeconfig];
    return new Promise((resolve, reject) => {
        execFile(process.execPath, [command, ...args], { timeout: 120_000 }, (error, output, errors) => {
            if (output === "" || error?.killed) {
                reject(new Error(`pulumi-tidb ${args.join(" ")}: ${errors || error?.message}`));
                return;
            }
            const exitCode = typeof error?.code === "number" ? error.code : 0;
            resolve({ exitCode, errors, status: JSON.parse(output) as StatusDocument });
        });
    });
}
