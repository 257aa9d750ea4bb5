import { createGate } from "../../../provider/gates/gate";
import type { GateProgramInputs } from "../../../provider/gates/inputs";
import type { GatePorts, Progress } from "../../../provider/cluster/gatePorts";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { PlayedPods } from "./playedPods";
import { Lifeline, pdAccess, sessionOf } from "./playedSession";
import type { PlayedTikv } from "./playedTikv";
import type { ClusterId } from "../../../provider/cluster/clusterId";
import type { Gate } from "../../../provider/gates/gateDefinition";

/** What a gate runs on, and who runs it. */
export interface GateRunOptions {
    readonly id: ClusterId;
    /** As the locks show it: a process of its own. */
    readonly holder: string;
    /** Addresses of PD's members. */
    readonly members: readonly string[];
    readonly pods: PlayedPods;
    readonly tikv: PlayedTikv;
    readonly progress: Progress;
    /** Told of each action right before it is taken; it is taken once this has settled. */
    readonly before: (action: Action) => Promise<void>;
}

/** A rollout of TiKV by the real gate, with everything that a process has of its own. */
export interface GateRun {
    /** Settled when the gate has ended. Never for one that was killed. */
    readonly ended: Promise<void>;
    /** As kill -9 of its process: nothing that it asks is answered any more, and nothing more is sent. */
    kill(): void;
}

/** Starts the gate's effect, as an update of Pulumi's does. */
export function startGate(options: GateRunOptions): GateRun {
    const { id, holder, pods, members, tikv } = options;
    const lifeline = new Lifeline();
    const page = (pod: string, path: string) => tikv.page(pods.storeOf(pod), path);
    const ports = sessionOf({ id, holder, members, api: pods.api, page }, lifeline).ports(options.progress);
    const watched: GatePorts = {
        ...ports,
        perform: async (action) => {
            await options.before(action);
            await ports.perform(action);
        },
    };
    const gate: Gate = createGate(rolloutGateDefinition, {
        plans: new Map(),
        progress: () => options.progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(watched),
    });
    const inputs: GateProgramInputs = {
        ...id,
        access: {},
        leaseUid: pods.lease.lease.metadata!.uid!,
        pd: pdAccess(id, members),
        component: "tikv",
        desiredReplicas: pods.revisions.length,
        policy: defaultPolicy,
        fixed: { podManagementPolicy: "Parallel", serviceName: `${id.cluster}-tikv-peer`, claims: [] },
        gate: "tikv-rollout",
        statusUrn: "",
    };
    const news = { ...inputs, replicas: inputs.desiredReplicas, plan: ["restart"], deferred: "" };
    return { ended: gate.update("", {}, news).then(() => undefined), kill: () => lifeline.cut() };
}
