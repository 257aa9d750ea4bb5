import { type ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { GateProgramInputs } from "../provider/gates/inputs";
import { defaultPolicy } from "../provider/lifecycle/vocabulary/target";
import type { Figure } from "./figure";
import { answerOf, startPlayedCluster } from "./largeCluster/playedCluster";
import { playedId } from "./largeCluster/playedObjects";

const stores = 1_000;
const target = 400;
/** Checks of a rollout: each observes the cluster twice. */
const checks = 20;
/** How long a store is away while the gate waits for it. */
const awayMilliseconds = 6_000;

/** What the provider of a program's gates does, in a process that has loaded what it has: Pulumi's SDK and the built package. */
const providerScript = `
    require("@pulumi/pulumi");
    const gates = require("pulumi-tidb/provider/gates");
    let most = 0;
    const measure = () => (most = Math.max(most, process.memoryUsage.rss()));
    setInterval(measure, 50).unref();
    const idle = process.memoryUsage.rss();
    process.once("message", async ({ inputs, checks }) => {
        const loaded = process.memoryUsage.rss();
        for (let done = 0; done < checks; done += 1) {
            const { failures } = await gates.check(inputs, inputs);
            if (failures && failures.length > 0) throw new Error(JSON.stringify(failures));
        }
        const checked = most;
        process.send({ is: "checked" });
        await new Promise((resolve) => process.once("message", resolve));
        await gates.update("", {}, { ...inputs, replicas: inputs.desiredReplicas, plan: ["wait"], deferred: "" });
        measure();
        process.send({ is: "done", idle, checked, most });
    });
    process.send({ is: "ready" });`;

interface Memory {
    idle: number;
    checked: number;
    most: number;
}

/** Measures the memory of a provider's process that checks a rollout of 1,000 stores many times and waits for a store. */
export async function providerMemory(): Promise<Figure[]> {
    const played = await startPlayedCluster({ stores, timings: {} });
    const provider = startProvider();
    try {
        await answerOf(provider);
        provider.send({ inputs: inputsOf(played.kubeconfig, played.leaseUid), checks });
        await answerOf(provider);
        // The servers answer nobody meanwhile.
        await played.wish({ do: "stop-store", ordinal: stores / 2 });
        provider.send("wait");
        await pause(awayMilliseconds);
        await played.wish({ do: "start-store", ordinal: stores / 2 });
        const [{ idle, checked, most }] = (await answerOf(provider)) as [Memory];
        const { requests } = await played.report();
        const looks = requests.filter(({ question }) => question === "GET /pd/api/v1/stores").length;
        return [
            {
                name: "memory of a provider that observes 1,000 stores",
                measured: most / 1e6,
                unit: "MB",
                target,
                detail: `the most during ${looks} observations (${requests.length} requests); ${(idle / 1e6).toFixed(0)} MB before the first, ${(checked / 1e6).toFixed(0)} MB after ${checks} checks`,
            },
        ];
    } finally {
        provider.kill("SIGKILL");
        played.stop();
    }
}

function startProvider(): ChildProcess {
    return spawn(process.execPath, ["--eval", providerScript], {
        cwd: path.resolve(__dirname, ".."),
        stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
}

function inputsOf(kubeconfig: string, leaseUid: string): GateProgramInputs {
    return {
        ...playedId,
        access: { kubeconfig },
        leaseUid,
        pd: { ...playedId, tls: false },
        component: "tikv",
        desiredReplicas: stores,
        policy: defaultPolicy,
        fixed: { podManagementPolicy: "Parallel", serviceName: `${playedId.cluster}-tikv-peer`, claims: [] },
        gate: "rollout",
        statusUrn: "",
    };
}
