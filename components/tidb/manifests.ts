import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import type { RenderOptions } from "../kubernetes/memberDescription";
import { podField } from "../kubernetes/podSpec";
import { headlessService } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { literalInPod } from "../kubernetes/shellQuote";
import { pdClientScriptOptions } from "../kubernetes/startScriptOptions";
import type { TidbClusterManifest } from "../spec";
import { writesBinlog } from "./binlog";
import { tidbConfig } from "./config";
import { startupProbe, tidbReadinessProbe } from "./probes";
import { tidbService } from "./service";
import { createsPassword } from "./rootPassword";
import { slowLog } from "./slowLog";
import type { TidbSpec } from "./spec";
import { tidbStartScript } from "./startScript";
import { tidbVolumes } from "./volumes";

const member = "tidb";

/** Renders TiDB. `spec.tidb` must be set. */
export function tidbManifests(manifest: TidbClusterManifest, options?: RenderOptions): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.tidb as TidbSpec;
    const headless = headlessServiceName(cluster, member);
    const log = slowLog(manifest, spec);
    const startup = startupProbe(spec);
    return renderMember(manifest, {
        ...options,
        hasRoot: createsPassword(manifest.spec),
        member,
        spec,
        settings: memberSettings(manifest, member, spec),
        image: memberImage(manifest, spec),
        services: [
            ...tidbService(manifest, spec.service),
            headlessService(manifest, member, headless, [{ name: "status", port: ports.tidb.status }]),
        ],
        configFiles: [
            {
                volume: "config",
                key: "config-file",
                content: tidbConfig(manifest, spec),
                file: { folder: "/etc/tidb", name: "tidb.toml" },
            },
            {
                volume: "startup-script",
                key: "startup-script",
                content: tidbStartScript({
                    ...pdClientScriptOptions(manifest),
                    plugins: spec.plugins,
                    arguments: spec.arguments,
                }),
                file: { folder: "/usr/local/bin", name: "tidb_start_script.sh" },
            },
        ],
        volumes: [...tidbVolumes(manifest, spec), ...log.volumes, ...startup.volumes],
        dataVolumes: [],
        metrics: { port: ports.tidb.status, path: "/metrics" },
        command: ["/bin/sh", "/usr/local/bin/tidb_start_script.sh"],
        ports: { server: ports.tidb.sql, status: ports.tidb.status },
        environment: [
            { name: "CLUSTER_NAME", value: cluster },
            { name: "TZ", value: manifest.spec.timezone ?? "" },
            { name: "BINLOG_ENABLED", value: String(writesBinlog(manifest.spec, spec)) },
            { name: "SLOW_LOG_FILE", value: literalInPod(log.file) },
            podField("POD_NAME", "metadata.name"),
            podField("NAMESPACE", "metadata.namespace"),
            { name: "HEADLESS_SERVICE_NAME", value: headless },
        ],
        containerFields: {
            lifecycle: spec.lifecycle,
            readinessProbe: tidbReadinessProbe(manifest, spec),
            securityContext: spec.securityContext,
            startupProbe: startup.probe,
        },
        sidecars: log.sidecars,
        initContainers: startup.initContainers,
    });
}
