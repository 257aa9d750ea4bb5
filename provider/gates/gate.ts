import { isDeepStrictEqual } from "node:util";
import { leaseName } from "../../topology/names";
import { type ClusterAccess, ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { loadKubeConfig } from "../cluster/kubeConfig";
import type { LeaseView } from "../cluster/lease";
import { ClusterSession } from "../cluster/session";
import { wrongPd } from "../lifecycle/pdIdentity";
import { GateError } from "./gateError";
import type { GateFindings, GateProgramInputs } from "./inputs";
import { type UNKNOWN_VALUE, unknownPath } from "./inputs";
import { withhold } from "./paused";
import type { GatePorts, Progress } from "../cluster/ports";
import { createProgress } from "./progress";
import { askSilentOnce, type Silence } from "./silence";

/** What every gate is told, whatever it waits for. */
export type CommonInputs = Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "config" | "policy" | "fixed"
>;

export interface CheckResult {
    inputs: Record<string, unknown>;
    failures?: { property: string; reason: string }[];
}

/** A gate as a dynamic resource: how it finds its plan, and how it carries it out. */
export interface GateDefinition<Program extends CommonInputs> {
    /** Replicas that the gate lets through, from the program's inputs alone; unknown where these are. */
    replicasOf(inputs: Program): number | typeof UNKNOWN_VALUE;
    /** What the plan is, from the live cluster. `refused` fails the preview. */
    plan(
        inputs: Program,
        ports: GatePorts,
    ): Promise<{ plan: string[]; refused?: { property: string; reason: string } }>;
    /** What is to be done in any case where the API server does not answer. Default: nothing. */
    stepsUnseen?(why: string): string[];
    /** What is to be said about what the program changed. It comes before the steps, in each plan. */
    notes?(olds: Record<string, unknown>, inputs: Program): { words: string; isWarning: boolean }[];
    /** Carries it out. `first` where the resource is created. */
    effect(inputs: Program & GateFindings, ports: GatePorts, first: boolean): Promise<void>;
}

/** The methods of a dynamic provider; see the shim in `components/gates.ts`. */
export interface Gate {
    check(olds: Record<string, unknown>, news: Record<string, unknown>): Promise<CheckResult>;
    diff(id: string, olds: Record<string, unknown>, news: Record<string, unknown>): Promise<{ changes: boolean }>;
    create(inputs: Record<string, unknown>): Promise<{ id: string; outs: Record<string, unknown> }>;
    update(
        id: string,
        olds: Record<string, unknown>,
        news: Record<string, unknown>,
    ): Promise<{ outs: Record<string, unknown> }>;
    /** What comes before its resource is forgotten. Default: nothing. */
    delete?(id: string, props: Record<string, unknown>): Promise<void>;
}

/** What does not make a gate run again: words, and ways of reaching the cluster. */
const WITHOUT_MEANING = new Set([
    "plan",
    "deferred",
    "access",
    "statusUrn",
    "paused",
    "pdTemplateRevision",
    "__provider",
]);

const FIRST_DEPLOYMENT = "this is the first deployment: there is no cluster to ask yet";

const sessions = new Map<string, Promise<ClusterSession>>();
const silences = new WeakMap<ClusterSession, Silence>();

/** How a gate reaches its cluster. */
export interface GateWorld {
    /** What is said of a gate without looking at its cluster. */
    progress(inputs: CommonInputs): Progress;
    /** @throws ClusterAccessError where `access` leads to no cluster. */
    tryAccess(access: ClusterAccess): Promise<unknown>;
    /** @param use what the ports are for: many checks come at once, and need not ask who was silent a moment ago. */
    open(inputs: CommonInputs, use: "check" | "effect"): Promise<GatePorts>;
}

export const liveWorld: GateWorld = {
    progress: (inputs) => createProgress(inputs.statusUrn),
    tryAccess: (access) => loadKubeConfig(access),
    open: async (inputs, use) => {
        const session = await sessionOf(inputs);
        const silence: Silence = (use === "check" && silences.get(session)) || {};
        silences.set(session, silence);
        const ports = session.ports(createProgress(inputs.statusUrn));
        return use === "check" ? askSilentOnce(ports, silence) : ports;
    },
};

/** @returns the methods of a dynamic provider for a gate. */
export function createGate<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld = liveWorld,
): Gate {
    return {
        check: async (olds, news) => {
            const program = news as unknown as Program;
            const found = await check(definition, world, olds, program);
            if (!program.paused) {
                return found;
            }
            const { withheld, ...paused } = withhold(olds, found);
            if (withheld.length > 0) {
                world.progress(program).warn(`spec.paused: nothing is done of: ${withheld.join("; ")}`);
            }
            return paused;
        },
        diff: (_id, olds, news) =>
            Promise.resolve({ changes: (news.plan as string[]).length > 0 || meaningChanged(olds, news) }),
        create: async (inputs) => {
            await carryOut(definition, world, inputs as unknown as Program & GateFindings, true);
            return { id: `${inputs.namespace as string}/${inputs.cluster as string}`, outs: inputs };
        },
        update: async (_id, _olds, news) => {
            await carryOut(definition, world, news as unknown as Program & GateFindings, false);
            return { outs: news };
        },
    };
}

async function check<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    olds: Record<string, unknown>,
    program: Program,
): Promise<CheckResult> {
    const news = program as unknown as Record<string, unknown>;
    const found = (findings: Omit<GateFindings, "replicas">): CheckResult => ({
        inputs: { ...news, replicas: definition.replicasOf(program), ...findings },
    });
    if (news.access && unknownPath(news.access) === undefined) {
        const failure = await accessFailure(program, world);
        if (failure) {
            return { ...found({ plan: [], deferred: failure.reason }), failures: [failure] };
        }
    }
    // A Kubernetes provider that has not made the Lease yet gives its metadata without a UID in a preview.
    const unknown = program.leaseUid ? unknownPath(news) : "leaseUid";
    if (unknown !== undefined) {
        const why = unknown === "leaseUid" ? FIRST_DEPLOYMENT : `${unknown} is known only during the update`;
        return found({ plan: [], deferred: `deferred: ${why}` });
    }
    const ports = onItsPd(await world.open(program, "check"));
    const notes = definition.notes?.(olds, program) ?? [];
    const noted = (steps: string[]): string[] => [...notes.map(({ words }) => words), ...steps];
    notes.filter(({ isWarning }) => isWarning).forEach(({ words }) => ports.progress.warn(words));
    try {
        const lease = await ports.lease();
        if (!lease && olds.leaseUid !== program.leaseUid) {
            // In a preview the Kubernetes provider may give the Lease that it would make, with a UID that no update will give it.
            return found({ plan: [], deferred: `deferred: ${FIRST_DEPLOYMENT}` });
        }
        assertSameCluster(program, lease);
        const { plan, refused } = await definition.plan(program, ports);
        // The field is in the reason: Pulumi would look for its value among the gate's inputs, and show `<nil>`.
        const failure = refused && { property: "", reason: `${refused.property}: ${refused.reason}` };
        return { ...found({ plan: noted(plan), deferred: "" }), failures: failure ? [failure] : undefined };
    } catch (error) {
        if (!(error instanceof KubernetesApiError || error instanceof Unreadable)) {
            throw error;
        }
        const steps = error instanceof Unreadable ? error.steps : (definition.stepsUnseen?.(error.message) ?? []);
        const isUnchanged = !meaningChanged(olds, { ...news, replicas: definition.replicasOf(program) });
        if (isUnchanged && (steps.length === 0 || error instanceof KubernetesApiError)) {
            ports.progress.warn(`the cluster was not looked at, and nothing changed: ${error.message}`);
        }
        if (isUnchanged && steps.length === 0) {
            return found({ plan: [], deferred: "" });
        }
        return found({ plan: noted(steps), deferred: `deferred: ${error.message}` });
    }
}

/** What a plan needs could not be read; the preview says so and never guesses. */
export class Unreadable extends Error {
    override readonly name = "Unreadable";
    constructor(
        message: string,
        /** What is to be done in any case, as far as Kubernetes alone shows it. With a step the gate runs, and waits for PD. */
        readonly steps: string[] = [],
    ) {
        super(message);
    }
}

async function accessFailure(
    program: CommonInputs,
    world: GateWorld,
): Promise<{ property: string; reason: string } | undefined> {
    try {
        await world.tryAccess(program.access);
        return undefined;
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return { property: "access", reason: error.message };
        }
        throw error;
    }
}

/** @returns ports that show nothing of another PD than the cluster's: no plan and no step may be made from that. */
export function onItsPd(ports: GatePorts): GatePorts {
    return {
        ...ports,
        look: async (options) => {
            const observation = await ports.look(options);
            const problem = wrongPd(observation);
            if (problem) {
                throw new GateError(problem);
            }
            return observation;
        },
    };
}

async function carryOut<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    inputs: Program & GateFindings,
    first: boolean,
): Promise<void> {
    const ports = onItsPd(await world.open(inputs, "effect"));
    assertSameCluster(inputs, await ports.lease());
    await definition.effect(inputs, ports, first);
}

/** The Kubernetes provider and the gate must see the same cluster: it made the Lease, the gate finds it. */
export function assertSameCluster(inputs: CommonInputs, lease: LeaseView | undefined): void {
    const name = `Lease ${inputs.namespace}/${leaseName(inputs.cluster)}`;
    const how = "pass the same `kubeconfig` and `context` to the Kubernetes provider and to TidbCluster";
    if (!lease) {
        throw new Error(
            `${name} is not in the cluster that \`access\` leads to, though the Kubernetes provider made it (uid ${inputs.leaseUid}). Either the two reach different clusters: ${how}; or it was deleted: run \`pulumi refresh\``,
        );
    }
    if (lease.uid !== inputs.leaseUid) {
        throw new Error(
            `${name} has uid ${lease.uid} in the cluster that \`access\` leads to, but the Kubernetes provider made one with uid ${inputs.leaseUid}: these are two clusters. Nothing is done; ${how}. If somebody made the Lease anew, run \`pulumi refresh\``,
        );
    }
}

/** @returns whether anything but words and the way to the cluster differs. */
export function meaningChanged(olds: Record<string, unknown>, news: Record<string, unknown>): boolean {
    const meaning = (values: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(values).filter(([key]) => !WITHOUT_MEANING.has(key)));
    return !isDeepStrictEqual(meaning(olds), meaning(news));
}

function sessionOf(inputs: CommonInputs): Promise<ClusterSession> {
    const { access, namespace, cluster, instance, domain, pd, leaseUid } = inputs;
    const key = JSON.stringify([access, namespace, cluster, instance, domain, pd, leaseUid]);
    const session = sessions.get(key) ?? ClusterSession.open(access, { namespace, cluster, instance, domain }, pd);
    sessions.set(key, session);
    session.catch(() => sessions.delete(key));
    return session;
}

export type { Progress };
