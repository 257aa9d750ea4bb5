import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { createGate } from "../../../provider/gates/gate";
import type { Gate } from "../../../provider/gates/gateDefinition";
import { lostNodesGateDefinition } from "../../../provider/gates/lostNodesGate";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { hasMajorityOf } from "../../../provider/lifecycle/stages/regionVoters";
import { majority } from "../../../provider/lifecycle/stages/pdQuorum";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { PlayedRun } from "../gates/playedRun";
import { ofCluster, worldOf } from "../gates/worldOf";
import { now as start } from "../lifecycle/observations";
import type { LostNodesWorld } from "./lostNodesWorld";
import type { Pod } from "./machines";
import { copies, type Store, storeDown } from "./placementDriver";

/** A person ends the update, or its process is killed. */
export class Ended extends Error {}

/** What happens right after an action of a kind, or once PD has made another store Tombstone; an error kills the run. */
interface Aftermath {
    readonly what: Action["do"] | "buried";
    happens(this: void): void;
}

/** More calls than any run makes that ends. */
const mostCalls = 4_000;

/** Runs of the LostNodesGate on a world. Each action is judged by what is true there at that moment. */
export class PlayedLossRun extends PlayedRun {
    readonly #world: LostNodesWorld;
    /** What somebody has consented to in this run, and which of it is still the same loss: pods. */
    #consented = new Set<string>();
    /** The claims that anybody has ever consented to give up. */
    readonly #givenUp = new Set<string>();
    /** The pods that a consent gives up, by the digest of its plan. One that an earlier run has asked for counts until it is used. */
    readonly #asked = new Map<string | undefined, readonly string[]>();
    #waitsInVain = false;
    #lastTime = start;
    /** How many looks the API server does not answer. */
    #silent = 0;
    #broken: unknown;
    /** Default: nothing. It happens once. */
    after: Aftermath | null = null;
    /** How many stores are Tombstone. */
    #buried = 0;
    /** The nodes that the program of this run names. */
    #named: readonly string[] = [];

    constructor(world: LostNodesWorld) {
        super();
        this.#world = world;
    }

    silence(looks: number): void {
        this.#silent = looks;
    }

    /** One update. @returns how it ended: `done`, or the words of its error. */
    async update(): Promise<string> {
        this.countAnew();
        [this.#consented, this.#waitsInVain, this.#lastTime] = [new Set(), false, start];
        this.#named = [...this.#world.named];
        const inputs = {
            ...ofCluster,
            nodes: this.#named.map((node) => this.#world.hostOf(node)),
            policy: { ...defaultPolicy, podReadyTimeoutSeconds: 60, storeRemovalTimeoutSeconds: 600 },
            gate: "lost-nodes",
            statusUrn: "urn",
        };
        const failure = await this.#gate()
            .update("id", inputs, { ...inputs, replicas: 0, plan: ["give up"], deferred: "" })
            .then(
                () => undefined,
                (error: Error) => error,
            );
        if (this.#broken !== undefined) {
            throw this.#broken;
        }
        if (failure === undefined) {
            return "done";
        }
        const isOfRun =
            failure instanceof Ended || failure instanceof KubernetesApiError || failure.name === "GateError";
        assert.ok(isOfRun, failure.stack);
        return failure.message;
    }

    #gate(): Gate {
        return createGate(lostNodesGateDefinition, worldOf(this.ports()));
    }

    override ports(): GatePorts {
        const ports = super.ports();
        return {
            ...ports,
            look: (options) => {
                assert.ok(this.calls < mostCalls, "the run does not end");
                if (this.#silent > 0) {
                    this.#silent -= 1;
                    this.calls += 1;
                    return Promise.reject(new KubernetesApiError("the API server did not answer", undefined));
                }
                return ports.look(options);
            },
            sleep: (milliseconds) =>
                this.#waitsInVain ? Promise.reject(new Ended("nobody consents")) : ports.sleep(milliseconds),
            noteApprovalWait: (of, wait) => {
                this.#waitsInVain = wait !== undefined && !this.approves;
                if (wait !== undefined) {
                    this.#asked.set(wait.digest, this.#podsIn(wait.lets));
                }
                return ports.noteApprovalWait(of, wait);
            },
        };
    }

    /** What a person reads: the pods that a consent gives up. */
    #podsIn(lets: string): string[] {
        const isShortened = / more\b/.test(lets);
        return isShortened
            ? this.#world.machines.pods.map(({ name }) => name)
            : [...lets.matchAll(/give up the volumes of (\S+?)(?=,| and |$)/g)].map(([, pod]) => pod);
    }

    protected seen(time: number, options: LookOptions): Observation {
        this.#world.pass(Math.max(0, time - this.#lastTime));
        this.#lastTime = Math.max(this.#lastTime, time);
        this.#world.step();
        const buried = this.#world.pd.stores.filter(({ isTombstone }) => isTombstone).length;
        if (buried > this.#buried) {
            this.#follow("buried");
        }
        this.#buried = buried;
        for (const pod of this.#consented) {
            if (!this.#isLost(pod)) {
                this.#consented.delete(pod);
            }
        }
        if (this.done.at(-1) === "consent") {
            const pods = this.#asked.get(this.taken) ?? [];
            pods.filter((pod) => this.#isLost(pod)).forEach((pod) => this.#consented.add(pod));
            const { machines } = this.#world;
            machines.claims.filter(({ pod }) => pods.includes(pod)).forEach(({ uid }) => this.#givenUp.add(uid));
            this.done.push("seen");
        }
        return this.#world.observe(options);
    }

    #isLost(pod: string): boolean {
        const node = this.#world.nodeOf(pod);
        const store = this.#world.pd.stores.find((one) => one.pod === pod && !one.isTombstone);
        return node !== undefined && this.#world.isGone(node) && !(store && this.#world.pd.isUp(store));
    }

    protected does(action: Action): void {
        try {
            this.#perform(action);
        } catch (error) {
            // A gate takes it for an answer of the cluster, and puts it in words of its own.
            this.#broken ??= error;
            throw error;
        }
        this.#follow(action.do);
    }

    #follow(what: Aftermath["what"]): void {
        if (this.after?.what === what) {
            const { happens } = this.after;
            this.after = null;
            happens();
        }
    }

    #perform(action: Action): void {
        const { pd } = this.#world;
        if (action.do === "remove-store") {
            const store = this.#storeOf(action.storeId);
            this.#judgeLoss(store.pod);
            this.#judgeStore(store);
            store.isOffline = true;
        } else if (action.do === "bring-store-back") {
            const store = this.#storeOf(action.storeId);
            assert.ok(store.isOffline && !store.isTombstone);
            store.isOffline = false;
        } else if (action.do === "remove-member") {
            const member = pd.members.find(({ id }) => id === action.memberId)!;
            this.#judgeLoss(member.pod);
            const others = pd.members.filter((one) => one !== member);
            assert.ok(!member.isHeard, "a member that PD hears from is removed");
            const healthy = others.filter(({ isHeard }) => isHeard).length;
            assert.ok(healthy >= majority(others.length), `${healthy} of ${others.length} members would be left`);
            pd.members = others;
        } else if (action.do === "delete-claims") {
            action.claims.forEach(({ uid }) => this.#deleteClaim(uid));
        } else if (action.do === "delete-pod") {
            this.#deletePod(action.uid);
        } else {
            assert.ok(["note-lost-volumes", "forget-lost-volumes"].includes(action.do), action.do);
        }
    }

    #storeOf(id: number): Store {
        return this.#world.pd.stores.find((one) => one.id === id)!;
    }

    #deletePod(uid: string): void {
        const { machines } = this.#world;
        const pod = machines.pods.find((one) => one.uid === uid)!;
        assert.ok(!pod.isReady, "a Ready pod is deleted");
        this.#judgeNode(pod);
        for (const { volume, isTerminating } of machines.claimsOf(pod.name)) {
            assert.ok(volume?.isLocal !== false, "its volume may be used on another node");
            // One that has no node runs nowhere. It may lack a claim that a person has deleted, which only another pod gets.
            assert.ok(isTerminating || volume === undefined || pod.node === undefined, "its volume is not given up");
        }
        machines.deletePod(pod);
    }

    /** A pod on a node may run there, whatever is heard of it. */
    #judgeNode({ name, node }: Pod): void {
        const isOn = node !== undefined && this.#world.machines.node(node).isListed;
        assert.ok(!isOn, `${name} is on node ${node}, which is there`);
    }

    /** Somebody consents to it in this run, the program names the node, and Kubernetes does not have it. */
    #judgeLoss(pod: string): void {
        const node = this.#world.nodeOf(pod);
        assert.ok(node !== undefined, `${pod} may run on another node with its volume`);
        assert.ok(this.#named.includes(node), "the program does not say that the node never comes back");
        assert.ok(this.#world.isGone(node), "Kubernetes has the node");
        this.#judgeNode(this.#world.pod(pod));
        assert.ok(this.#consented.has(pod), `nobody has consented to the loss of ${pod}`);
        assert.ok(this.records.lostVolumes?.[pod], "it is not on record");
        assert.ok(this.#world.pd.hasQuorum);
    }

    #judgeStore(store: Store): void {
        const { pd, now } = this.#world;
        assert.ok(!store.isTombstone && now - store.heardAt > storeDown, "PD has heard of the store");
        const left = pd.upOf(store.engine);
        assert.ok(left >= copies[store.engine], `${left} Up stores of ${store.engine} would be left`);
        const up = pd.upIds();
        for (const region of pd.regionsOf([store.id])) {
            assert.ok(
                hasMajorityOf(region, ({ storeId }) => up.has(storeId)),
                `region ${region.id} has no majority on Up stores`,
            );
        }
    }

    #deleteClaim(uid: string): void {
        const { machines, pd } = this.#world;
        const claim = machines.claims.find((one) => one.uid === uid);
        assert.ok(claim, "a claim is deleted by another UID than its own");
        const { volume } = claim;
        if (volume === undefined) {
            // Nothing was ever on it, so nobody need consent: it may have been made after a person deleted an empty one.
            claim.isTerminating = true;
            return;
        }
        assert.ok(this.#givenUp.has(uid), "nobody has consented to the loss of the claim");
        assert.ok(volume.isLocal, "a volume is given up that another node may use");
        assert.ok(this.#world.isGone(volume.node) && this.#named.includes(volume.node));
        assert.ok(!pd.lives(volume.of), `${volume.of} is still in PD`);
        const { storeId } = this.records.lostVolumes?.[claim.pod] ?? {};
        const isBuried =
            storeId === undefined || pd.stores.some(({ id, isTombstone }) => id === storeId && isTombstone);
        assert.ok(isBuried, `what became of store ${storeId} is not known`);
        const writes = machines.processes.some((one) => one.volumes.includes(volume) && machines.runs(one));
        assert.ok(!writes || volume.of !== undefined, "what writes to it is not what PD has dropped");
        claim.isTerminating = true;
    }
}
