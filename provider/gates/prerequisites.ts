import { isDeepStrictEqual } from "node:util";
import { type Component, components } from "../../topology/members";
import { type Permission, permissionsOf } from "../../topology/permissions";
import { ClusterAccessError } from "../cluster/access";
import type { AccessAnswer } from "../cluster/accessReview";
import { KubernetesApiError } from "../cluster/apiCall";
import type { GatePorts } from "../cluster/gatePorts";
import { type VersionChanges, versionChanges } from "../lifecycle/prerequisites/downgrade";
import { tlsChange } from "../lifecycle/prerequisites/clusterTls";
import { judgeNamespace, namespaceOfProgram } from "../lifecycle/prerequisites/namespace";
import { asRules, permissionsNeeded, type UpdateKind } from "../lifecycle/prerequisites/permissionsNeeded";
import type { DeployedMembers } from "../lifecycle/prerequisites/seenVersions";
import { noLook } from "../lifecycle/vocabulary/look";
import { describeRefusal, type Refusal } from "../lifecycle/vocabulary/ownership";
import { GateError } from "./gateError";
import type { GateWorld } from "./gateWorld";
import { type ClusterProgramInputs, type PrerequisiteInputs, unknownPath, type WantedMember } from "./inputs";

type Values = Record<string, unknown>;
type WantedMembers = PrerequisiteInputs["members"];

/** What the prerequisites say about an update. */
export interface PrerequisiteFindings {
    refused: Refusal[];
    /** Why the program could not be compared with what runs. Then the update compares them before it changes anything. */
    notCompared?: string;
}

/**
 * Finds what would let the update fail although every plan looks fine: a missing namespace, a missing permission, an
 * earlier version than the one that runs, or than the one that used the volumes of an earlier cluster, or TLS that is
 * switched. Asked once for the cluster, before the other gates, and only if the program changed since the last update: an
 * update without a change costs no call.
 * @param isPreview whether what the cluster depends on may still be missing: an update creates it before this check.
 */
export async function checkPrerequisites(
    olds: Values,
    program: ClusterProgramInputs,
    world: GateWorld,
    warn: (message: string) => unknown,
    isPreview = false,
): Promise<PrerequisiteFindings> {
    const { prerequisites: asked, namespace } = program;
    const isFirst = Object.keys(olds).length === 0;
    if (!asked || program.paused) {
        return { refused: [] };
    }
    if (isFirst && isPreview && asked.namespaceMaker === "program" && unknownPath(namespace) === undefined) {
        // Said even if the Kubernetes cluster does not exist yet.
        warn(namespaceOfProgram(namespace));
    }
    if (asksForPrerequisites(olds, program) !== "changed") {
        return { refused: [] };
    }
    const isNew = isNewCluster(olds, program);
    try {
        const ports = await world.open(program, "check");
        // Also the first question to an API server that may not answer: the next gates do not wait for it again.
        const hasLease = await hasReadableLease(ports);
        if (isNew && !hasLease) {
            const state = await ports.access.namespaceState();
            const { refused, warning } = judgeNamespace(namespace, state, asked.namespaceMaker);
            if (warning !== undefined) {
                warn(warning);
            }
            if (refused || state === "missing") {
                // Nobody has permissions of a Role in a namespace that does not exist.
                return { refused: refused ? [refused] : [] };
            }
        }
        const denied = asked.plansOnly
            ? undefined
            : await deniedPermissions(
                  updateKind(olds, program, asked),
                  program,
                  ports,
                  asked,
                  isPreview && asked.mayGrant,
                  warn,
              );
        if (denied === "granted-later" && isFirst) {
            // The update compares, once it may read the claims.
            return { refused: [] };
        }
        if (denied !== undefined && denied !== "granted-later") {
            return { refused: [denied] };
        }
        const { refused, warnings } = await compareWithLive(asked, program.memberReplicas, deployedBefore(olds), ports);
        warnings.forEach((warning) => warn(warning));
        return { refused };
    } catch (error) {
        if (!(error instanceof KubernetesApiError || error instanceof ClusterAccessError)) {
            throw error;
        }
        // Without an answer or without access, the check that follows says so for the whole cluster.
        if (error instanceof KubernetesApiError && error.status !== undefined) {
            warn(`could not check what the update needs: ${error.message}`);
        }
        // After the preview of a first deployment the update checks again: nothing of the cluster runs before that.
        return { refused: [], ...(isFirst && isPreview ? {} : { notCompared: error.message }) };
    }
}

/**
 * Whether there is something to ask about what the update needs: `never` for a paused cluster, or while it is not known which
 * cluster it is; `unchanged` if the program is that of the last update.
 */
export function asksForPrerequisites(olds: Values, program: ClusterProgramInputs): "changed" | "unchanged" | "never" {
    const { prerequisites, paused, access, namespace, cluster } = program;
    if (!prerequisites || paused || unknownPath([access, namespace, cluster]) !== undefined) {
        return "never";
    }
    const isChanged = isNewCluster(olds, program) || programChanged(olds, program as unknown as Values);
    return isChanged ? "changed" : "unchanged";
}

/** A Lease that is created again comes with everything else in the namespace. */
function isNewCluster(olds: Values, { leaseUid }: ClusterProgramInputs): boolean {
    return Object.keys(olds).length === 0 || leaseUid !== olds.leaseUid;
}

/**
 * Compares the program with what runs, in the update and before it changes anything, if its check could not.
 * @throws GateError if the program goes back to an earlier version, or switches TLS.
 * @throws KubernetesApiError if the members cannot be read.
 */
export async function compareInUpdate(
    { namespace, cluster, memberReplicas, prerequisites }: ClusterProgramInputs,
    ports: GatePorts,
): Promise<void> {
    const { comparesWith } = prerequisites ?? {};
    if (!prerequisites || !comparesWith) {
        return;
    }
    const { refused, warnings } = await compareWithLive(prerequisites, memberReplicas, comparesWith, ports);
    warnings.forEach((warning) => ports.progress.warn(warning));
    if (refused.length > 0) {
        throw new GateError({
            step: "compare-versions",
            target: `${namespace}/${cluster}`,
            seen: refused.map(describeRefusal).join("\n"),
            next: "nothing was done: correct the program, then run `pulumi up` again",
        });
    }
}

async function compareWithLive(
    { members: wanted, claimTemplates, allowDowngrade, traits }: PrerequisiteInputs,
    memberReplicas: ClusterProgramInputs["memberReplicas"],
    before: DeployedMembers,
    ports: GatePorts,
): Promise<VersionChanges> {
    // A preview may not know a number yet, and a state of an earlier build has none.
    const replicasOf = (component: string): number | undefined => {
        const replicas: unknown = (memberReplicas as Values | undefined)?.[component];
        return typeof replicas === "number" ? replicas : undefined;
    };
    const known = Object.entries(wanted)
        .filter(([, member]) => unknownPath(member) === undefined)
        .map(([component, member]) => [component, { ...member, replicas: replicasOf(component) }] as const);
    const names = known.map(([component]) => component as Component);
    const seen = await ports.look({ ...noLook, components: names, claimTemplates });
    const versions = versionChanges(Object.fromEntries(known) as WantedMembers, seen, before, allowDowngrade);
    const tls = tlsChange(names, traits.includes("tls"), seen, before);
    return { refused: [...tls.refused, ...versions.refused], warnings: [...tls.warnings, ...versions.warnings] };
}

/** @returns the members that the last update deployed, with their versions, whether they run, and whether they use TLS. */
export function deployedBefore(olds: Values): DeployedMembers {
    const names = (olds.components ?? []) as Component[];
    const { traits } = (olds.prerequisites ?? {}) as Partial<PrerequisiteInputs>;
    const tls = traits?.includes("tls");
    return {
        ...Object.fromEntries(names.map((component) => [component, {}])),
        ...Object.fromEntries(
            Object.entries(membersBefore(olds) ?? {}).map(([component, { version, runs }]) => [
                component,
                { version, runs, tls },
            ]),
        ),
    };
}

/** @returns whether the program asks for another cluster than the last update did. */
export function programChanged(olds: Values, news: Values): boolean {
    const askedOf = ({ components: names, memberReplicas, prerequisites = {} }: Values) => {
        const { members, objects } = prerequisites as Partial<PrerequisiteInputs>;
        return { names, memberReplicas, members, objects };
    };
    return !isDeepStrictEqual(askedOf(news), askedOf(olds));
}

function membersBefore(olds: Values): WantedMembers | undefined {
    return (olds.prerequisites as PrerequisiteInputs | undefined)?.members;
}

function updateKind(olds: Values, news: ClusterProgramInputs, { members, traits }: PrerequisiteInputs): UpdateKind {
    const known = membersBefore(olds);
    const before = known ?? {};
    const replicas = (olds.memberReplicas ?? {}) as ClusterProgramInputs["memberReplicas"];
    const of = (component: Component) => ({
        was: before[component],
        is: members[component] as WantedMember | undefined,
    });
    const changed = components.filter((component) => replicas[component] !== news.memberReplicas[component]);
    const stops = components.filter((component) => {
        const { was, is } = of(component);
        return was !== undefined && (is?.templateRevision !== was.templateRevision || is.runs !== was.runs);
    });
    const isFirst = Object.keys(olds).length === 0;
    return {
        isFirst,
        // A state that an earlier build wrote does not say whether a template changes.
        stopsPods: !isFirst && (known === undefined || stops.length > 0 || changed.length > 0),
        changesReplicas: !isFirst && changed.length > 0,
        suspends: !isFirst && Object.values(members).some(({ runs }) => !runs),
        traits,
    };
}

/** Without permission to read the Lease, it counts as missing: the review of the permissions says so. */
async function hasReadableLease(ports: GatePorts): Promise<boolean> {
    try {
        return (await ports.lease()) !== undefined;
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 403) {
            return false;
        }
        throw error;
    }
}

async function deniedPermissions(
    kind: UpdateKind,
    { cluster, namespace }: ClusterProgramInputs,
    ports: GatePorts,
    { sharesUser }: PrerequisiteInputs,
    isGrantedLater: boolean,
    warn: (message: string) => unknown,
): Promise<Refusal | "granted-later" | undefined> {
    const answer = await ports.access.review(permissionsNeeded(permissionsOf(cluster), kind));
    if (answer.notKnown !== undefined) {
        warn(`could not check whether the permissions suffice for this update: ${answer.notKnown}`);
    }
    const isSure = ({ byGates, verb }: Permission) => byGates || (sharesUser && verb !== "delete");
    // Otherwise a gate also marks claims as released.
    const isForRecords = ({ resource, verb }: Permission) =>
        resource === "persistentvolumeclaims" && verb === "patch" && !kind.changesReplicas;
    const forRecords = answer.denied.filter(isForRecords);
    const others = answer.denied.filter((one) => !isForRecords(one));
    const sure = others.filter(isSure);
    const unsure = others.filter((one) => !isSure(one));
    if (forRecords.length > 0) {
        const without =
            "The update goes on without it, but does not record on the volume claims which version used them";
        warn(`${describeDenied(answer, forRecords, namespace)}\n${without}`);
    }
    if (unsure.length > 0) {
        const except = sharesUser
            ? "The Kubernetes provider needs this if the update deletes or replaces such an object"
            : "The Kubernetes provider needs this. If it uses another user, ignore this warning";
        warn(`${describeDenied(answer, unsure, namespace)}\n${except}`);
    }
    if (sure.length > 0 && isGrantedLater) {
        const unless = "The update fails unless something that the TidbCluster depends on grants this";
        warn(`${describeDenied(answer, sure, namespace)}\n${unless}`);
        return "granted-later";
    }
    return sure.length === 0 ? undefined : { property: accessFields, reason: describeDenied(answer, sure, namespace) };
}

/** The fields of the program that decide which user works on the cluster. */
const accessFields = "kubeconfig, context";

function describeDenied({ user }: AccessAnswer, denied: readonly Permission[], namespace: string): string {
    return `${user} lacks permissions that this update needs. Grant them by a Role in namespace ${namespace}, or use another kubeconfig or context:\n${asRules(denied).join("\n")}`;
}
