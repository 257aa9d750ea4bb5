import { readFileSync } from "node:fs";
import { createDashboardProxy } from "./dashboard";
import { createDiscovery } from "./discovery";
import { pdTlsFolder, pdGet } from "./pdMembers";
import { apiServerOfPod, ordinalsReader } from "./replicas";
import { createDiscoveryServer } from "./server";
import { readSettings } from "./settings";

/** Port of the discovery protocol. */
const discoveryPort = 10261;
/** Port of the proxy to TiDB Dashboard. */
const dashboardPort = 10262;
/** Folder where discovery's certificate is mounted. */
const discoveryTlsFolder = "/var/lib/discovery-tls";
/** Timeout of one call to PD or to the API server, in milliseconds. Two calls to each fit into the 3 s after which a script gives up. */
const callMilliseconds = 650;
/** How often to check for a PD until one answers, in milliseconds. */
const checkMilliseconds = 3_000;

function main(): void {
    const settings = readSettings(process.env);
    const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line.replace(/\s+/g, " ")}\n`);
    const now = () => performance.now();
    const tls = (folder: string) => ({
        ca: readFileSync(`${folder}/ca.crt`, "utf8"),
        cert: readFileSync(`${folder}/tls.crt`, "utf8"),
        key: readFileSync(`${folder}/tls.key`, "utf8"),
    });
    const get = pdGet(callMilliseconds);
    const discovery = createDiscovery(settings, {
        now,
        pdGet: get,
        readOrdinals: ordinalsReader(
            apiServerOfPod(process.env),
            settings.namespace,
            `${settings.name}-pd`,
            now,
            callMilliseconds,
        ),
    });
    const server = createDiscoveryServer({
        settings,
        discovery,
        pdGet: get,
        log,
        tls: settings.mtls ? tls(discoveryTlsFolder) : undefined,
    });
    const dashboard = createDashboardProxy(
        {
            url: `${settings.scheme}://${settings.name}-pd.${settings.namespace}:2379`,
            tls: () => (settings.scheme === "https" ? tls(pdTlsFolder) : undefined),
        },
        log,
    );
    const checks = setInterval(() => {
        if (discovery.state.formed || !settings.hasPd) {
            clearInterval(checks);
            return;
        }
        discovery.checkForPd().catch((error: unknown) => log(`checking for PD: ${String(error)}`));
    }, checkMilliseconds);
    for (const [one, port] of [
        [server, discoveryPort],
        [dashboard, dashboardPort],
    ] as const) {
        one.on("error", (error) => {
            log(`port ${port}: ${error.message}`);
            process.exit(1);
        });
        one.listen(port, () => log(`listening on port ${port} for cluster ${settings.namespace}/${settings.name}`));
    }
    // The next discovery may start at once, and two of them must not answer at the same time.
    const stop = (signal: string) => {
        log(`${signal}: stopping`);
        process.exit(0);
    };
    process.on("SIGTERM", () => stop("SIGTERM"));
    process.on("SIGINT", () => stop("SIGINT"));
}

main();
