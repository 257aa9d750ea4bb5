import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import * as path from "node:path";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import type { ClusterPlan, PlanDocument } from "../../../plan/clusterPlan";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import type { Arena } from "./arena";
import { builtCommand } from "./builtCommand";
import { planOf } from "./expect";
import { type ClusterChange, clusterConfig, type TestStack } from "./stack";

/** What `pulumi-tidb plan` said of one cluster. */
export interface FilePlan {
    readonly exitCode: number;
    readonly errors: string;
    readonly plan: ClusterPlan;
}

/** Writes the manifest that the program of the stack deploys to a file, and runs `pulumi-tidb plan` with it, without Pulumi. */
export async function planFile(arena: Arena, stack: TestStack, change: ClusterChange): Promise<FilePlan> {
    const { metadata, spec, operations } = JSON.parse(clusterConfig(stack.namespace, change).cluster) as {
        metadata: object;
        spec: object;
        operations: object;
    };
    const manifest = path.join(arena.folder, `${stack.namespace}-plan.yaml`);
    const settings = path.join(arena.folder, `${stack.namespace}-operations.yaml`);
    const kind = { apiVersion: "pingcap.com/v1alpha1", kind: "TidbCluster" };
    writeFileSync(manifest, JSON.stringify({ ...kind, metadata: { ...metadata, name: stack.cluster }, spec }));
    writeFileSync(settings, JSON.stringify(operations));
    return runPlan(arena, [manifest, "--operations", settings, "--trace"]);
}

/** Runs `pulumi-tidb plan` with a file of one cluster. */
export function runPlan(arena: Arena, files: readonly string[]): Promise<FilePlan> {
    const args = ["plan", ...files, "--output", "json", "--detailed-exitcode"];
    const env = { ...process.env, KUBECONFIG: arena.sandbox.kubeconfig };
    return new Promise((resolve, reject) => {
        execFile(process.execPath, [builtCommand, ...args], { env, timeout: 120_000 }, (error, output, errors) => {
            if (output === "" || error?.killed) {
                reject(new Error(`pulumi-tidb ${args.join(" ")}: ${errors || error?.message}`));
                return;
            }
            const exitCode = typeof error?.code === "number" ? error.code : 0;
            resolve({ exitCode, errors, plan: (JSON.parse(output) as PlanDocument).clusters[0] });
        });
    });
}

/**
 * Asserts that each gate's plan is the one that the preview shows. Estimates may differ by what happened in between.
 * @param types of the gates. Default: all. The last gate's own input has what earlier gates bring about, too, and a file's plan does not.
 */
export function assertSamePlan(
    { plan }: FilePlan,
    preview: PulumiRun,
    stack: TestStack,
    types = /^pulumi-nodejs:tidb:/,
): void {
    const gates = preview.steps.filter(({ type }) => types.test(type));
    assert.ok(gates.length > 0, preview.output);
    for (const { name, op } of gates) {
        const gate = name.slice(stack.cluster.length + 1);
        const shown = op === "same" ? [] : planOf(preview, name);
        const planned = plan.entries.filter((entry) => entry.gate === gate).map(({ text }) => text);
        assert.deepEqual(planned.map(withoutTimes), shown.map(withoutTimes), name);
    }
}

/** Asserts that these operations took exactly the actions that the dry runs of the plan foresaw, and restarted the pods of its steps, in their order. */
export function assertCarriedOut({ plan }: FilePlan, operations: readonly JournalOperation[]): void {
    const { traces = [], entries } = plan;
    const planned = traces.flatMap(({ moves }) => moves.flatMap(({ action, target }) => actionOn(action, target)));
    const acts = operations.flatMap((one) => one.entries.flatMap((entry) => (entry.is === "act" ? [entry] : [])));
    assert.ok(planned.length > 0);
    assert.deepEqual(
        acts.flatMap((one) => actionOn(one.do, one.target)),
        planned,
    );
    assert.deepEqual(
        acts.filter((one) => one.do === "delete-pod").map(({ target }) => target),
        entries.flatMap(({ step }) => (step?.kind === "restart" ? [step.target] : [])),
    );
}

/** What is only recorded waits for nothing. Whether PD's limits are raised depends on how PD spreads the leaders meanwhile. */
function actionOn(action: string | undefined, target: string): string[] {
    return action === undefined || /^note-|-(labels|limits)$/.test(action) ? [] : [`${action} ${target}`];
}

function withoutTimes(line: string): string {
    return line.replace(/\(~\d+ (s|min)\)/, "(~)");
}

/** Everything in Kubernetes and PD that a plan could have written, to compare before and after it. */
export async function writtenState(arena: Arena, stack: TestStack): Promise<unknown> {
    const { leases, claims, pods, secrets } = arena.kubernetes;
    const objects = [await leases(stack.namespace), await claims(stack.namespace), await pods(stack.namespace)].flat();
    return {
        objects: objects.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`).sort(),
        secrets: Object.keys(await secrets(stack.namespace)),
        stores: stack.played().stores(),
        members: stack.played().members(),
        events: stack.played().events.length,
    };
}
