import { spawn } from "node:child_process";
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

/** Measures the memory of a provider's process that checks a rollout of 1,000 stores many times and waits for a store. */
export async function providerMemory(): Promise<Figure[]> {
    const played = await startPlayedCluster({ stores, repeats: false });
    const provider = spawn(process.execPath, ["--eval", providerScript], {
        cwd: path.resolve(__dirname, ".."),
        stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    try {
        await answerOf(provider);
        provider.send({ inputs: inputsOf(played.kubeconfig, played.leaseUid), checks });
        await answerOf(provider);
        await played.ask("stop-store");
        provider.send("wait");
        await pause(awayMilliseconds);
        await played.ask("start-store");
        const [{ idle, checked, most }] = (await answerOf(provider)) as [Record<string, number>];
        const requests = await played.ask("report");
        const looks = requests.filter(({ question }) => question === "GET /pd/api/v1/stores").length;
        const shown = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
        const detail = `the most during ${looks} observations (${requests.length} requests to PD); ${shown(idle)} before the first, ${shown(checked)} after ${checks} checks`;
        const name = "memory of a provider that observes 1,000 stores";
        return [{ name, measured: most / 1e6, unit: "MB", target, detail }];
    } finally {
        provider.kill("SIGKILL");
        played.stop();
    }
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
