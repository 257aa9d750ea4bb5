import type { Component } from "./members";

/** The client port of PD and of each of its microservices. */
const pdClient = 2379;

/** The ports of each member, by purpose. They are fixed in the member's image or set by its start script. */
export const ports = {
    tso: { client: pdClient },
    scheduling: { client: pdClient },
    /** `client`: PD's API, and the etcd inside PD. `peer`: traffic between PD's members. */
    pd: { client: pdClient, peer: 2380 },
    /** `sql`: MySQL protocol. `api`: API, health page and metrics. `peer`: traffic between proxies. */
    tiproxy: { sql: 6000, api: 3080, peer: 3081 },
    /**
     * `server`: MPP and coprocessor requests of TiDB. `proxy`: the Raft learner. `tcp` and `http`: ClickHouse's ports,
     * used before 7.1. `proxyStatus`: status and metrics of the proxy.
     */
    tiflash: { server: 3930, proxy: 20170, tcp: 9000, http: 8123, internal: 9009, metrics: 8234, proxyStatus: 20292 },
    /** `server`: requests of TiDB and other stores. `status`: status and metrics. */
    tikv: { server: 20160, status: 20180 },
    /** `api`: binlogs, API and metrics. */
    pump: { api: 8250 },
    /** `sql`: MySQL protocol. `status`: status and metrics. */
    tidb: { sql: 4000, status: 10080 },
    /** `api`: API and metrics, also traffic between captures. */
    ticdc: { api: 8301 },
} as const satisfies Record<Component, Readonly<Record<string, number>>>;

/**
 * Ports of discovery, by the names that its container gives them: its own, and the one that leads to PD's dashboard.
 * The server in the pod (`components/discovery/server/`) has them too: its files run by themselves and import nothing.
 */
export const discoveryPorts = { discovery: 10261, proxy: 10262 } as const;
