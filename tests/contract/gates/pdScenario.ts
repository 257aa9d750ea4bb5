import { setTimeout as pause } from "node:timers/promises";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { createGate } from "../../../provider/gates/gate";
import type { GateProgramInputs } from "../../../provider/gates/inputs";
import { replaceDead } from "../../../provider/gates/replaceDead";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import type { UnattendedMember, UnattendedWork } from "../../../provider/gates/unattended";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { createPdClient, type PdMemberHealth, type PdMembers } from "../../../provider/pd";
import { leaseAnnotations } from "../../../topology/annotations";
import { type RealPd, startPd } from "../pd/realPd";
import { PlayedPdPods } from "./playedPdPods";
import { Lifeline, pdAccess, sessionOf } from "./playedSession";
import { type PlayedTikv, startTikv } from "./playedTikv";
import { basic } from "./scenario";

const replicas = 3;
const failover = { periodSeconds: 1, budget: 3 };
const member: UnattendedMember = {
    component: "pd",
    note: { replicas, unattended: { failover, policy: defaultPolicy } },
};

/** An action, and what PD said of its members right before. */
export interface PdStep {
    readonly by: string;
    readonly action: Action;
    readonly health: readonly PdMemberHealth[];
}

/** Three real PD members in played pods, and all that gates did on them. */
export class PdScenario {
    readonly taken: PdStep[] = [];
    /** What a user would have read. */
    readonly told: string[] = [];

    private constructor(
        readonly pd: RealPd,
        private readonly tikv: PlayedTikv,
        readonly pods: PlayedPdPods,
    ) {}

    /** @param count how many members it begins with. */
    static async begin(pdServer: string, count = replicas): Promise<PdScenario> {
        const pd = await startPd(pdServer, count, undefined, `${basic.cluster}-pd`);
        try {
            // A PD without a store is not bootstrapped.
            const tikv = await startTikv(pd, { hosts: ["basic-tikv-0.basic-tikv-peer.tidb.svc"], regions: 3 });
            tikv.start(1);
            const pods = new PlayedPdPods(basic, pd, count);
            const annotations = {
                [leaseAnnotations.pdClusterId]: await pd.client.clusterId(),
                [leaseAnnotations.members]: JSON.stringify({ pd: member.note }),
            };
            pods.lease.patch({ metadata: { annotations } });
            return new PdScenario(pd, tikv, pods);
        } catch (error) {
            await pd.close();
            throw error;
        }
    }

    /**
     * Replaces the dead of PD, as the controller does.
     * @param killedAt before which action it is killed. Default: never.
     */
    async replaceDead(by: string, killedAt?: Action["do"]): Promise<UnattendedWork | "killed"> {
        const lifeline = new Lifeline();
        const ports = this.ports(by, lifeline);
        const killed = new Promise<"killed">((resolve) => {
            ports.isKilledAt = (action) => {
                if (action.do !== killedAt) {
                    return false;
                }
                lifeline.cut();
                resolve("killed");
                return true;
            };
        });
        return Promise.race([replaceDead(member, ports, () => false), killed]);
    }

    /**
     * Scales PD, or takes the replacements away once all are back, as the ScaleGate and the StatefulSet of an update do.
     * @param pulumiSeconds how long Pulumi takes from the gate's end to its write.
     */
    async update(by: string, wanted = replicas, pulumiSeconds = 0): Promise<void> {
        const ports = this.ports(by, new Lifeline());
        const gate = createGate(scaleGateDefinition, {
            plans: new Map(),
            progress: () => ports.progress,
            tryAccess: () => Promise.resolve(),
            open: () => Promise.resolve(ports),
        });
        const inputs: GateProgramInputs = {
            ...basic,
            access: {},
            leaseUid: this.pods.lease.lease.metadata!.uid!,
            pd: pdAccess(basic, this.addresses),
            component: "pd",
            desiredReplicas: wanted,
            policy: defaultPolicy,
            failover,
            fixed: { podManagementPolicy: "Parallel", serviceName: "basic-pd-peer", claims: [] },
            gate: "pd-scale",
            statusUrn: "",
        };
        await gate.update("", {}, { ...inputs, replicas: wanted, plan: ["remove"], deferred: "" });
        await pause(pulumiSeconds * 1000);
        await this.pods.setReplicas(wanted);
    }

    /** The ordinal of the member that leads PD, or of one that does not. */
    async ordinalOf(role: "leader" | "follower"): Promise<number> {
        const { leader } = await this.pd.client.members();
        const leads = Number(leader!.name.split("-").at(-1));
        return role === "leader" ? leads : (leads + 1) % replicas;
    }

    /** PD's members by name, each with its id; waits until exactly these are there and healthy. */
    async untilMembers(...ordinals: number[]): Promise<Record<string, string>> {
        const names = ordinals.map((ordinal) => this.pods.podName(ordinal));
        return this.until(`healthy members ${names.join(", ")}`, async () => {
            const health = await this.health();
            const { leader } = await this.pd.client.members();
            const isSettled = leader !== undefined && health.every(({ healthy }) => healthy);
            const ids = Object.fromEntries(health.map(({ name, memberId }) => [name, memberId]));
            return isSettled && Object.keys(ids).sort().join() === names.sort().join() ? ids : undefined;
        });
    }

    health(): Promise<PdMemberHealth[]> {
        return this.pd.client.health();
    }

    /** Asks the member on a volume alone. */
    async membersAsSeenBy(volume: string): Promise<PdMembers> {
        const client = createPdClient({ endpoints: [{ name: volume, url: this.pd.urlOf(volume) }] });
        try {
            return await client.members();
        } finally {
            client.close();
        }
    }

    records(): Partial<OperationRecords> {
        const text = this.pods.lease.lease.metadata?.annotations?.[leaseAnnotations.records] ?? "{}";
        return JSON.parse(text) as Partial<OperationRecords>;
    }

    async until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
        let last: unknown;
        for (const end = performance.now() + 60_000; performance.now() < end; await pause(200)) {
            try {
                const found = await find();
                if (found !== undefined) {
                    return found;
                }
            } catch (error) {
                last = error; // PD elects a leader.
            }
        }
        throw new Error(`${what}: not within 60 s; ${last === undefined ? "" : String(last)}`);
    }

    async close(): Promise<void> {
        this.tikv.close();
        await this.pd.close();
    }

    private get addresses(): string[] {
        return this.pd.endpoints.map(({ url }) => url);
    }

    private ports(holder: string, lifeline: Lifeline): GatePorts & { isKilledAt: (action: Action) => boolean } {
        const say = (message: string) => void this.told.push(`${holder}: ${message}`);
        const page = () => {
            throw new Error("nobody asks TiKV about PD");
        };
        const session = sessionOf({ id: basic, holder, members: this.addresses, api: this.pods.api, page }, lifeline);
        const ports = session.ports({ info: say, warn: ({ message }) => say(message), note: say, status: say });
        const watched = {
            ...ports,
            isKilledAt: (_action: Action) => false,
            perform: async (action: Action) => {
                if (watched.isKilledAt(action)) {
                    return new Promise<void>(() => undefined);
                }
                const health = await this.health();
                await ports.perform(action);
                this.taken.push({ by: holder, action, health });
            },
        };
        return watched;
    }
}
