import { execFile } from "node:child_process";
import type { StatusDocument } from "../../../status/clusterStatus";
import type { DiagnosisDocument } from "../../../status/diagnosis/clusterDiagnosis";
import type { TimelineDocument } from "../../../status/timeline/clusterTimeline";
import type { ClusterSweep } from "../../../sweep/clusterSweep";
import { builtCommand } from "./builtCommand";
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

/** Runs `pulumi-tidb status` for the cluster of a stack. @param kubeconfig path of a kubeconfig */
export async function statusOfStack(stack: TestStack, kubeconfig: string): Promise<SeenStatus> {
    const { document: status, ...rest } = await documentOf<StatusDocument>("status", stack, kubeconfig);
    return { ...rest, status };
}

/** Runs `pulumi-tidb diagnose` for the cluster of a stack. @param kubeconfig path of a kubeconfig */
export async function diagnosisOfStack(
    stack: TestStack,
    kubeconfig: string,
): Promise<{ exitCode: number; diagnosis: DiagnosisDocument }> {
    const { document: diagnosis, exitCode } = await documentOf<DiagnosisDocument>("diagnose", stack, kubeconfig);
    return { exitCode, diagnosis };
}

/** Runs `pulumi-tidb approve` for the cluster of a stack. @param digest of the plan, or `--next`. @param kubeconfig path of a kubeconfig */
export function approvePlan(
    stack: TestStack,
    kubeconfig: string,
    digest: string,
    ...more: string[]
): Promise<SaidInWords> {
    return saidBy(["approve", stack.cluster, digest, "-n", stack.namespace, "--kubeconfig", kubeconfig, ...more]);
}

/** Runs `pulumi-tidb stop` for the cluster of a stack. @param kubeconfig path of a kubeconfig */
export function stopRun(stack: TestStack, kubeconfig: string): Promise<SaidInWords> {
    return saidBy(["stop", stack.cluster, "-n", stack.namespace, "--kubeconfig", kubeconfig]);
}

/** Runs `pulumi-tidb sweep` for the cluster of a stack. @throws Error with what it said if it refused */
export function sweepStack(stack: TestStack, kubeconfig: string, ...more: string[]): Promise<Said<ClusterSweep>> {
    return documentOf("sweep", stack, kubeconfig, more);
}

/** Runs `pulumi-tidb timeline` for the cluster of a stack. @param kubeconfig path of a kubeconfig */
export async function timelineOfStack(stack: TestStack, kubeconfig: string): Promise<TimelineDocument> {
    return (await documentOf<TimelineDocument>("timeline", stack, kubeconfig)).document;
}

/** Returns the page that `pulumi-tidb timeline --output html` prints. @param kubeconfig path of a kubeconfig */
export async function timelinePage(stack: TestStack, kubeconfig: string): Promise<string> {
    return (await outputOf("timeline", "html", stack, kubeconfig)).output;
}

/** What a command printed, and how it ended. */
interface SaidInWords {
    readonly exitCode: number;
    readonly output: string;
    readonly errors: string;
}

function saidBy(args: readonly string[]): Promise<SaidInWords> {
    return new Promise((resolve, reject) => {
        execFile(process.execPath, [builtCommand, ...args], { timeout: 120_000 }, (error, output, errors) => {
            if (error?.killed) {
                reject(new Error(`pulumi-tidb ${args.join(" ")}: ${error.message}`));
                return;
            }
            resolve({ exitCode: typeof error?.code === "number" ? error.code : 0, output, errors });
        });
    });
}

async function documentOf<Document>(
    name: string,
    stack: TestStack,
    kubeconfig: string,
    more: readonly string[] = [],
): Promise<Said<Document>> {
    const { output, ...rest } = await outputOf(name, "json", stack, kubeconfig, more);
    return { ...rest, document: JSON.parse(output) as Document };
}

function outputOf(
    name: string,
    format: "json" | "html",
    { cluster, namespace }: TestStack,
    kubeconfig: string,
    more: readonly string[] = [],
): Promise<{ exitCode: number; errors: string; output: string }> {
    const args = [name, cluster, "-n", namespace, "--output", format, "--kubeconfig", kubeconfig, ...more];
    return new Promise((resolve, reject) => {
        const options = { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
        execFile(process.execPath, [builtCommand, ...args], options, (error, output, errors) => {
            if (output === "" || error?.killed) {
                reject(new Error(`pulumi-tidb ${args.join(" ")}: ${errors || error?.message}`));
                return;
            }
            resolve({ exitCode: typeof error?.code === "number" ? error.code : 0, errors, output });
        });
    });
}
