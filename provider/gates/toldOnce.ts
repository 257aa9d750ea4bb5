import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { GateError } from "./gateError";
import { OtherClusterError } from "./sameCluster";

/**
 * Returns an error of a gate's `check` or `delete` as Pulumi is to get it. For these methods Pulumi's SDK prints the error and
 * its stack, besides passing the message to the engine, which shows it on the resource's line. An error that tells the user
 * what to do is printed as one short line. Any other error is a bug: it keeps its stack.
 *
 * @param what what did not happen, for that line: `mine-ready was not deleted`.
 */
export function toldOnce(error: unknown, what: string): unknown {
    const isForUser =
        error instanceof GateError ||
        error instanceof OtherClusterError ||
        error instanceof KubernetesApiError ||
        error instanceof ClusterAccessError;
    if (!isForUser) {
        return error;
    }
    // The SDK prints `${error}: ${error.stack}` (@pulumi/pulumi cmd/dynamic-provider/index.ts).
    return Object.assign(new Error(error.message, { cause: error }), {
        name: error.name,
        stack: "the error of this resource says why",
        toString: () => what,
    });
}
