import type { Component } from "../../topology/members";
import type { Version } from "../../topology/imageVersion";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { isAtLeast } from "../imageVersion";
import { hasClusterTls } from "../kubernetes/tls";
import { configValue, type TomlTable, type TomlValue } from "../kubernetes/toml";
import { type Member, membersOf } from "../members";
import { specError, type SpecProblem } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { readsConfigMap } from "../tiflash/annotations";
import { isEveryInterface, isMemberAt, isReachedAt, listensOn } from "./addresses";
import { memberConfigs } from "./memberConfigs";
import { noClusterTls, noEffectProblems } from "./noEffect";
import { shown } from "./path";

/** What a setting must be for the rest of the cluster, and how that is said. */
interface Fixed {
    readonly is: (value: TomlValue, manifest: TidbClusterManifest) => boolean;
    readonly expected: string;
    readonly next?: string;
}

/**
 * Settings that probes, Services, other members and the gates depend on, by the configuration of a member: where its servers listen, which
 * addresses they advertise, and which other members they ask.
 */
const fixed: Readonly<Partial<Record<Component, Readonly<Record<string, Readonly<Record<string, Fixed>>>>>>> = {
    tikv: { config: { "server.advertise-status-addr": advertised(ports.tikv.status) } },
    tidb: {
        config: {
            port: port(ports.tidb.sql, "; spec.tidb.service.port sets that of the Service"),
            "status.status-port": port(ports.tidb.status),
            "status.status-host": host(),
            "status.report-status": {
                is: (value) => value !== false,
                expected: "true",
                next: "the gates, the probe of type command and Prometheus ask TiDB's status port",
            },
        },
    },
    tiproxy: {
        config: {
            "proxy.addr": listening(ports.tiproxy.sql),
            "api.addr": listening(ports.tiproxy.api),
            "proxy.pd-addrs": peer("pd", ports.pd.client),
        },
    },
    tiflash: {
        "config.config": {
            listen_host: host(),
            tcp_port: port(ports.tiflash.tcp),
            tcp_port_secure: port(ports.tiflash.tcp),
            http_port: port(ports.tiflash.http),
            https_port: port(ports.tiflash.http),
            interserver_http_port: port(ports.tiflash.internal),
            "flash.service_addr": listening(ports.tiflash.server),
            "flash.tidb_status_addr": peer("tidb", ports.tidb.status),
            "flash.proxy.addr": listening(ports.tiflash.proxy),
            "flash.proxy.advertise-addr": advertised(ports.tiflash.proxy),
            "raft.pd_addr": peer("pd", ports.pd.client),
            "status.metrics_port": port(ports.tiflash.metrics),
        },
        "config.proxy": {
            "server.addr": listening(ports.tiflash.proxy),
            "server.advertise-addr": advertised(ports.tiflash.proxy),
            "server.engine-addr": advertised(ports.tiflash.server),
            "server.status-addr": listening(ports.tiflash.proxyStatus),
            "server.advertise-status-addr": advertised(ports.tiflash.proxyStatus),
        },
    },
    pump: { config: { addr: listening(ports.pump.api), "advertise-addr": advertised(ports.pump.api) } },
};

/** Settings of a configuration that something else takes precedence over. */
interface Overridden {
    /** Default: `config`. */
    readonly field?: string;
    readonly keys: readonly string[];
    /** Default: the start script passes them as arguments. */
    readonly why?: string;
    /** Default: always. */
    readonly when?: (manifest: TidbClusterManifest, member: Member) => boolean;
}

const microservice: readonly Overridden[] = [{ keys: ["advertise-listen-addr", "backend-endpoints", "listen-addr"] }];

const overridden: Readonly<Partial<Record<Component, readonly Overridden[]>>> = {
    pd: [
        {
            keys: [
                "advertise-client-urls",
                "advertise-peer-urls",
                "client-urls",
                "data-dir",
                "initial-cluster",
                "join",
                "name",
                "peer-urls",
            ],
        },
    ],
    tso: microservice,
    scheduling: microservice,
    tiproxy: [{ keys: ["proxy.pd-addrs"], why: "it is always the address of the cluster's PD" }],
    tiflash: [
        {
            field: "config.config",
            keys: ["flash.proxy.advertise-addr", "flash.service_addr", "raft.pd_addr"],
            when: ({ spec }) => spec.tiflash !== undefined && readsConfigMap(spec.tiflash),
        },
        {
            field: "config.config",
            keys: ["http_port", "https_port", "tcp_port", "tcp_port_secure"],
            why: "TiFlash has no such port since 7.1",
            when: (manifest, member) => isFrom([7, 1, 0], manifest, member),
        },
        {
            field: "config.config",
            keys: ["http_port", "tcp_port"],
            why: "with spec.tlsCluster TiFlash has the ports for TLS only",
            when: hasClusterTls,
        },
        {
            field: "config.config",
            keys: ["https_port", "tcp_port_secure"],
            why: noClusterTls,
            when: (manifest, member) => !hasClusterTls(manifest) && !isFrom([5, 4, 0], manifest, member),
        },
    ],
    tikv: [
        { keys: ["pd.endpoints", "server.addr", "server.advertise-addr", "server.status-addr", "storage.data-dir"] },
        { keys: ["server.advertise-status-addr"], when: ({ spec }) => spec.enableDynamicConfiguration === true },
    ],
    tidb: [{ keys: ["advertise-address", "host", "path", "store"] }],
    ticdc: [{ keys: ["addr", "advertise-addr"] }],
    pump: [{ keys: ["advertise-addr", "data-dir", "pd-urls"] }],
};

/**
 * Refuses settings without which a member does not find the others, or is not found: pods would never become Ready. Warns about those
 * that have no effect.
 *
 * @param manifest A manifest without other errors.
 */
export function fixedSettingProblems(manifest: TidbClusterManifest): SpecProblem[] {
    const { spec } = manifest;
    return membersOf(spec).flatMap((member) =>
        Object.entries(memberConfigs(spec, member)).flatMap(([field, config]) => {
            const at = `${member.pathIn(spec)}.${field}`;
            const without = (overridden[member.component] ?? []).filter(
                (one) => (one.field ?? "config") === field && (one.when?.(manifest, member) ?? true),
            );
            const settings = fixed[member.component]?.[field] ?? {};
            const isWrong = (key: string) => isSetOtherwise(config, key, settings[key], manifest);
            const ignored = new Map(
                without.flatMap(({ keys, why = "the start script passes it as an argument" }) =>
                    keys.map((key) => [key, why] as const),
                ),
            );
            return [
                ...Object.entries(settings)
                    .filter(([key]) => !ignored.has(key) && isWrong(key))
                    .map(([key, { expected, next }]) =>
                        specError(`${at}.${key}`, shown(configValue(config, key)), expected, next),
                    ),
                ...noEffectProblems(
                    at,
                    [...ignored]
                        .filter(([key]) => isWrong(key))
                        .map(([key, why]) => ({ field: key, value: configValue(config, key), why })),
                ),
            ];
        }),
    );
}

/** An image whose tag is no version counts as older. */
function isFrom(version: Version, manifest: TidbClusterManifest, { specOf }: Member): boolean {
    return isAtLeast(memberImage(manifest, specOf(manifest.spec) ?? {}), version) === true;
}

/** Whether a key is set, and not to what it must be. Any value is another one if that is not known. */
function isSetOtherwise(
    config: TomlTable,
    key: string,
    setting: Fixed | undefined,
    manifest: TidbClusterManifest,
): boolean {
    const value = configValue(config, key);
    return value !== undefined && setting?.is(value, manifest) !== true;
}

function port(number: number, more = ""): Fixed {
    return {
        is: (value) => Number(value) === number,
        expected: String(number),
        next: `probes, Services and gates use this port: remove the setting${more}`,
    };
}

/** One of the addresses, which a comma separates, must be that of the port on all interfaces. */
function listening(number: number): Fixed {
    return {
        is: (value) => typeof value === "string" && listensOn(number, value),
        expected: `port ${number} of all interfaces: 0.0.0.0:${number} or [::]:${number}`,
        next: "other pods connect to it: remove the setting",
    };
}

function advertised(number: number): Fixed {
    return {
        is: (value) => typeof value === "string" && isReachedAt(number, value),
        expected: `a name of the pod with port ${number}`,
        next: "other pods connect to it: remove the setting",
    };
}

function peer(member: "pd" | "tidb", number: number): Fixed {
    return {
        is: (value, manifest) => typeof value === "string" && isMemberAt({ member, port: number }, value, manifest),
        expected: `${member === "pd" ? "PD" : "TiDB"} of this cluster, at port ${number}`,
        next: "the pods would join or ask another cluster: remove the setting",
    };
}

function host(): Fixed {
    return {
        is: (value) => typeof value === "string" && isEveryInterface(value),
        expected: "0.0.0.0 or ::",
        next: "other pods and Prometheus connect to it: remove the setting",
    };
}
