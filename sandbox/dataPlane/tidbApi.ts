import { RefusedTidbSetting, tidbProcessOf, withFields } from "./facts/tidbConfig";
import type { ListenerAnswer } from "./listener";
import { type ClusterState, type Pod, record } from "./model/cluster";
import { schemaAnswer } from "./tidbSchema";

/** Answers for a TiDB's status port: its health, and the settings of its process. */
export function tidbAnswer(state: ClusterState, pod: string, method: string, url: URL, body: string): ListenerAnswer {
    const server = state.pods.get(pod);
    if (!server?.serving) {
        return "refused";
    }
    const fault = state.faults.tidb[pod];
    if (fault?.unhealthy) {
        return { status: 500, contentType: "text/plain", body: "internal error" };
    }
    switch (url.pathname) {
        case "/status":
            return json({ connections: 0, version: `8.0.11-TiDB-${server.version}`, git_hash: "None" });
        case "/settings":
            return method === "POST" ? changeSettings(state, server, body) : json(processOf(server).config);
        default:
            return (
                schemaAnswer(state, url.pathname) ?? {
                    status: 404,
                    contentType: "text/plain",
                    body: "404 page not found",
                }
            );
    }
}

/** Returns the process of a pod. One that is observed for the first time has read its file. */
export function processOf(server: Pod): NonNullable<Pod["tidb"]> {
    return (server.tidb ??= tidbProcessOf(server.config ?? {}));
}

/** TiDB answers nothing if it has taken the settings over, and 400 with its reason otherwise. */
function changeSettings(state: ClusterState, server: Pod, body: string): ListenerAnswer {
    try {
        if (state.faults.tidb[server.name]?.refusesSettings) {
            throw new RefusedTidbSetting("illegal argument");
        }
        server.tidb = withFields(processOf(server), new URLSearchParams(body));
    } catch (error) {
        if (!(error instanceof RefusedTidbSetting)) {
            throw error;
        }
        return { status: 400, contentType: "text/plain", body: error.message };
    }
    record(state, "config-set", { pod: server.name, detail: body });
    return { status: 200, contentType: "text/plain", body: "" };
}

function json(value: object): ListenerAnswer {
    return { status: 200, contentType: "application/json", body: JSON.stringify(value) };
}
