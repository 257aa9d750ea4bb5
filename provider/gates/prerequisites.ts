import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import type { GatePorts } from "../cluster/gatePorts";
import { judgeNamespace, namespaceOfProgram } from "../lifecycle/prerequisites/namespace";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import { compareWithLive } from "./compareWithLive";
import type { GateWorld } from "./gateWorld";
import { type ClusterProgramInputs, unknownPath } from "./inputs";
import { deployedBefore, isNewCluster, programChanged, updateKind } from "./lastUpdate";
import type { MemberRisk } from "../lifecycle/walks/warnedRisks";
import { deniedPermissions } from "./permissionReview";
import type { Notice } from "../lifecycle/vocabulary/notices";

type Values = Record<string, unknown>;

/** What the prerequisites say about an update. */
export interface PrerequisiteFindings {
    refused: Refusal[];
    /** What the warnings put at risk, in short: for the summary of the plan. Default: nothing. */
    risks?: readonly string[];
    /** The same of single members. Default: nothing. */
    memberRisks?: readonly MemberRisk[];
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
    warn: (notice: Notice) => unknown,
    isPreview = false,
): Promise<PrerequisiteFindings> {
    const { prerequisites: asked, namespace } = program;
    const isFirst = Object.keys(olds).length === 0;
    if (!asked || program.paused) {
        return { refused: [] };
    }
    if (isFirst && isPreview && asked.namespaceMaker === "program" && unknownPath(namespace) === undefined) {
        // Said even if the Kubernetes cluster does not exist yet.
        warn({ code: "namespace-of-program", message: namespaceOfProgram(namespace) });
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
                warn({ code: "namespace-missing", message: warning });
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
        const { warnings, ...found } = await compareWithLive(
            asked,
            program.memberReplicas,
            deployedBefore(olds),
            ports,
        );
        warnings.forEach((warning) => warn(warning));
        return found;
    } catch (error) {
        if (!(error instanceof KubernetesApiError || error instanceof ClusterAccessError)) {
            throw error;
        }
        // Without an answer or without access, the check that follows says so for the whole cluster.
        if (error instanceof KubernetesApiError && !error.isOfEveryCall) {
            const message = `could not check what the update needs: ${error.message}`;
            warn({ code: "prerequisites-not-checked", message });
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
