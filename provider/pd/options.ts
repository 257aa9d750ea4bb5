import type { Socket } from "node:net";

/** One address of PD. */
export interface PdEndpoint {
    /** The member's name in PD, or an address. `memberReady` finds the member by it, and messages contain it. */
    readonly name: string;
    /** `http://host:port` or `https://host:port`, without a path. */
    readonly url: string;
    /** The name that the server's certificate is checked against. Default: the host of `url`. */
    readonly servername?: string;
    /** How long a connection may be idle before it is closed, in milliseconds. Default: 20,000. */
    readonly idleMilliseconds?: number;
    /** Resolves once bytes on a new connection reach the server. Default: as soon as it is connected. */
    readonly opened?: (socket: Socket) => Promise<void>;
    /** Other names of the same server: its certificate must cover one of them, or `servername`. */
    readonly otherNames?: readonly string[];
}

/** Mutual TLS with PD. Each field is PEM text. */
export interface PdTls {
    /** Certificates of the authorities that PD's certificate is checked against. */
    readonly ca: string;
    /** The client's certificate, for a PD that asks for one. */
    readonly cert?: string;
    /** The private key of `cert`. */
    readonly key?: string;
}

/** How to reach the PD of one cluster. */
export interface PdClientOptions {
    /** The members to ask, in the order to try them. At least one. */
    readonly endpoints: readonly PdEndpoint[];
    /** Required for `https` addresses whose authority the system does not know. Refused with an `http` address. */
    readonly tls?: PdTls;
    /**
     * How long one request may take, from connecting to the last byte of the answer. A call that asks several members
     * takes at most twice as long: the requests after the first share the second half.
     * @default 5000 (tidb-operator pkg/pdapi/pd_control.go); 9000 for `health`, 20000 for lists of regions
     */
    readonly timeoutMilliseconds?: number;
    /**
     * How long connecting may take, including TLS.
     * @default 2000, or `timeoutMilliseconds` if that is shorter
     */
    readonly connectTimeoutMilliseconds?: number;
}
