import { RefusedTidbSetting, tidbProcessOf, withFields } from "./facts/tidbConfig";
import { saidVersion } from "./faults";
import { podHost } from "./facts/addresses";
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
            return json({
                connections: 0,
                version: `8.0.11-TiDB-${saidVersion(state.faults, pod, server.version)}`,
                git_hash: "None",
            });
        case "/settings":
            return method === "POST" ? changeSettings(state, server, body) : json(processOf(server).config);
        case "/upgrade/start":
        case "/upgrade/finish":
        case "/upgrade/show":
            return upgradeAnswer(state, server, method, url.pathname.slice("/upgrade/".length));
        case "/labels":
            return method === "POST"
                ? addLabels(server, body)
                : { status: 400, contentType: "text/plain", body: onlyPost };
        case "/info/all":
            return json(allServers(state, server));
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

/** From which version on TiDB has the switch; 7.2 and 7.3 do not have it (docs.pingcap.com/tidb/stable/smooth-upgrade-tidb). */
function hasUpgradeSwitch(version: string): boolean {
    const [major = 0, minor = 0, patch = 0] = (/\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
    return major > 7 || (major === 7 && (minor >= 4 || (minor === 1 && patch >= 2)));
}

/** The state is the cluster's, not the server's (pingcap/tidb pkg/server/handler/upgrade_handler.go). */
function upgradeAnswer(state: ClusterState, server: Pod, method: string, operation: string): ListenerAnswer {
    if (!hasUpgradeSwitch(server.version)) {
        return { status: 404, contentType: "text/plain", body: "404 page not found" };
    }
    if (method !== "POST") {
        return { status: 400, contentType: "text/plain", body: "This API only support POST method" };
    }
    if (state.faults.tidb[server.name]?.refusesUpgrade) {
        return { status: 400, contentType: "text/plain", body: "context deadline exceeded" };
    }
    if (operation === "show") {
        // TiDB writes one JSON text after the other.
        return texts(state.isUpgrading ? upgradeInfo(state, server) : "The cluster state is normal.", "success!");
    }
    const isStart = operation === "start";
    if (state.isUpgrading === isStart) {
        const now = isStart ? "upgrading" : "normal";
        return texts(`It's a duplicated operation and the cluster is already in ${now} state.`);
    }
    state.isUpgrading = isStart;
    record(state, isStart ? "upgrade-started" : "upgrade-finished", { pod: server.name });
    return texts("success!");
}

function serversOf({ pods }: ClusterState): Pod[] {
    return [...pods.values()].filter(({ component, serving }) => component === "tidb" && serving);
}

/** A server keeps its others (pingcap/tidb pkg/server/handler/tikvhandler, LabelHandler). */
function addLabels(server: Pod, body: string): ListenerAnswer {
    const process = processOf(server);
    server.tidb = { ...process, labels: { ...process.labels, ...(JSON.parse(body) as Record<string, string>) } };
    return json(server.tidb.labels);
}

const onlyPost = "This api only support POST method";

function infoOf({ namespace, name: cluster }: ClusterState, pod: Pod): object {
    const { name, version, elsewhere } = pod;
    const at = elsewhere ?? { service: `${cluster}-tidb-peer`, namespace };
    return {
        version: `8.0.11-TiDB-${version}`,
        git_hash: "",
        ddl_id: name,
        ip: podHost(name, at.service, at.namespace),
        listening_port: 4000,
        labels: processOf(pod).labels,
    };
}

/** The servers by the ids of their DDL workers (pingcap/tidb pkg/server/handler/tikvhandler, `/info/all`). */
function allServers(state: ClusterState, server: Pod): object {
    const servers = serversOf(state);
    return {
        servers_num: servers.length,
        owner_id: server.name,
        all_servers_info: Object.fromEntries(servers.map((one) => [one.name, infoOf(state, one)])),
    };
}

function upgradeInfo(state: ClusterState, server: Pod): object {
    const servers = serversOf(state);
    const versions = servers.map(({ version }) => version).sort();
    const newest = versions.filter((version) => version === versions.at(-1)).length;
    const percent = Math.floor((newest * 100) / servers.length);
    return {
        servers_num: servers.length,
        owner_id: server.name,
        upgraded_percent: percent,
        ...(percent === 100
            ? { is_all_server_version_consistent: true }
            : {
                  all_servers_diff_info: servers.map((one, index) => ({
                      ...infoOf(state, one),
                      server_id: index + 1,
                  })),
              }),
    };
}

function texts(...values: (string | object)[]): ListenerAnswer {
    const body = values.map((value) => JSON.stringify(value)).join("");
    return { status: 200, contentType: "application/json", body };
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
