import { describeAction } from "../lifecycle/vocabulary/actions";
import type { Action } from "../lifecycle/vocabulary/actions";
import { firstStep, isRefusal, type KubernetesApiError } from "../cluster/apiCall";
import type { GatePorts } from "../cluster/gatePorts";

/** Handles the records that the API server refuses. A rollout, a suspension or a rescue matters more than a record. */
export interface RefusedNotes {
    /** Warns that the run goes on without the record. @throws the error, if it is not a refusal. */
    goOn(action: Action, error: unknown): void;
}

const consequence =
    "The run goes on without the record: a later cluster on these volumes may not notice that it goes back to an earlier version";

/** @returns the handler of one run: it warns once with the permission to grant, then only says what was refused. */
export function refusedNotes({ progress }: Pick<GatePorts, "progress">): RefusedNotes {
    let hasWarned = false;
    return {
        goOn: (action, error) => {
            const cause = error instanceof Error ? error.cause : undefined;
            if (!isRefusal(cause)) {
                throw error;
            }
            const seen = `could not ${describeAction(action)}: ${cause.message}`;
            if (hasWarned) {
                progress.info(seen);
                return;
            }
            hasWarned = true;
            progress.warn({ code: "record-refused", message: `${seen}. ${consequence}. ${adviceFor(cause)}` });
        },
    };
}

const grant =
    'grant the user of the kubeconfig this rule in the namespace: { apiGroups: [""], resources: [persistentvolumeclaims], verbs: [list, patch] }';

function adviceFor(error: KubernetesApiError): string {
    return error.isDenied
        ? `To have it, ${firstStep(error, grant)}`
        : "Let the API server accept annotations on volume claims: an admission webhook or a policy may refuse them";
}
