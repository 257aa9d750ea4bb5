import type { ListenerAnswer } from "./listener";
import type { ClusterState } from "./model/cluster";
import { closePump, pumpNodeId } from "./model/pumps";

/** Answers for the Pump in a pod. Serves only the API call that gates make (pingcap/tidb-binlog pump/server.go). */
export function pumpAnswer(state: ClusterState, pod: string, method: string, url: URL): ListenerAnswer {
    const pump = state.pumps.get(pod);
    if (pump?.uid !== state.pods.get(pod)?.uid || pump === undefined || pump.state === "offline") {
        return "refused";
    }
    const [, nodeId, action] = /^\/state\/([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (method !== "PUT" || action !== "close") {
        return { status: 404, contentType: "text/plain", body: "404 page not found" };
    }
    const mistake =
        decodeURIComponent(nodeId) === pumpNodeId(pod) ? closePump(state, pod) : `invalide nodeID ${nodeId}`;
    // The HTTP status is 200 even if it refuses.
    const answer =
        mistake === undefined ? { message: "apply action close success!", code: 200 } : { message: mistake, code: 500 };
    return { status: 200, contentType: "application/json; charset=UTF-8", body: JSON.stringify(answer) };
}
