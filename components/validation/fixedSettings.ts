import type { Component } from "../../topology/members";
import { ports } from "../../topology/ports";
import { configValue, type TomlTable, type TomlValue } from "../kubernetes/toml";
import { membersOf } from "../members";
import { specError, type SpecProblem } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { memberConfigs } from "./memberConfigs";
import { noEffectProblems } from "./noEffect";
import { shown } from "./path";

/** What a setting must be for the rest of the cluster, and how that is said. */
interface Fixed {
    readonly is: (value: TomlValue) => boolean;
    readonly expected: string;
    readonly next?: string;
}

/** Settings that probes, Services, other members and the gates depend on, by the configuration of a member. */
const fixed: Readonly<Partial<Record<Component, Readonly<Record<string, Readonly<Record<string, Fixed>>>>>>> = {
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
            "proxy.addr": address(ports.tiproxy.sql),
            "api.addr": address(ports.tiproxy.api),
        },
    },
    tiflash: {
        "config.config": {
            "flash.service_addr": address(ports.tiflash.server),
            "flash.proxy.addr": address(ports.tiflash.proxy),
            "flash.proxy.advertise-addr": address(ports.tiflash.proxy),
            "status.metrics_port": port(ports.tiflash.metrics),
        },
        "config.proxy": {
            "server.addr": address(ports.tiflash.proxy),
            "server.advertise-addr": address(ports.tiflash.proxy),
            "server.engine-addr": address(ports.tiflash.server),
            "server.status-addr": address(ports.tiflash.proxyStatus),
            "server.advertise-status-addr": address(ports.tiflash.proxyStatus),
        },
    },
    pump: { config: { addr: address(ports.pump.api), "advertise-addr": address(ports.pump.api) } },
};

/** Settings for which the start scripts pass an argument, which takes precedence. */
const passed: Readonly<Partial<Record<Component, readonly string[]>>> = {
    pd: [
        "advertise-client-urls",
        "advertise-peer-urls",
        "client-urls",
        "data-dir",
        "initial-cluster",
        "join",
        "name",
        "peer-urls",
    ],
    tso: ["advertise-listen-addr", "backend-endpoints", "listen-addr"],
    scheduling: ["advertise-listen-addr", "backend-endpoints", "listen-addr"],
    tikv: ["pd.endpoints", "server.addr", "server.advertise-addr", "server.status-addr", "storage.data-dir"],
    tidb: ["advertise-address", "host", "path", "store"],
    ticdc: ["addr", "advertise-addr"],
    pump: ["data-dir", "pd-urls"],
};

/**
 * Refuses settings without which a member does not find the others, or is not found: pods would never become Ready. Warns about those
 * that have no effect.
 *
 * @param spec A spec without other errors.
 */
export function fixedSettingProblems(spec: TidbClusterSpec): SpecProblem[] {
    return membersOf(spec).flatMap((member) => {
        const at = member.pathIn(spec);
        const configs = memberConfigs(spec, member);
        return [
            ...Object.entries(configs).flatMap(([field, config]) =>
                Object.entries(fixed[member.component]?.[field] ?? {}).flatMap(([key, setting]) =>
                    fixedProblems(`${at}.${field}.${key}`, configValue(config, key), setting),
                ),
            ),
            ...noEffects(`${at}.config`, configs.config, passed[member.component] ?? []),
        ];
    });
}

function fixedProblems(field: string, value: TomlValue | undefined, { is, expected, next }: Fixed): SpecProblem[] {
    return value === undefined || is(value) ? [] : [specError(field, shown(value), expected, next)];
}

function noEffects(field: string, config: TomlTable | undefined, keys: readonly string[]): SpecProblem[] {
    const why = "the start script passes it as an argument";
    return noEffectProblems(
        field,
        keys.map((key) => ({ field: key, value: configValue(config ?? {}, key), why })),
    );
}

function port(number: number, more = ""): Fixed {
    return {
        is: (value) => Number(value) === number,
        expected: String(number),
        next: `probes, Services and gates use this port: remove the setting${more}`,
    };
}

/** One of the addresses, which a comma separates, must be that of the port. */
function address(number: number): Fixed {
    return {
        is: (value) => typeof value === "string" && value.split(",").some((one) => one.trim().endsWith(`:${number}`)),
        expected: `an address with port ${number}`,
        next: "Services, other members and gates use this port: remove the setting",
    };
}

function host(): Fixed {
    return {
        is: (value) => value === "" || value === "0.0.0.0" || value === "::",
        expected: "0.0.0.0 or ::",
        next: "the gates and Prometheus ask TiDB's status port from other pods: remove the setting",
    };
}
