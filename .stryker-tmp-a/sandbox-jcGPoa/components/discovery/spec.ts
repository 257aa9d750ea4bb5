import type { ComponentSpec, Probe, ResourceSpec } from "../componentSpec";

/** What a user may say about discovery, the small server that tells PD how to form a cluster. */
export interface DiscoverySpec extends ComponentSpec, ResourceSpec {
    /** When the container is restarted: its port 10261 does not accept a connection. Default: no probe. */
    livenessProbe?: Probe;
}
