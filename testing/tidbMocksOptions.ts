import type * as pulumi from "@pulumi/pulumi";
import type { LiveGate } from "./gateState";

/** What a program sees in a unit test, besides a first deployment. */
export interface TidbMocksOptions {
    /**
     * A live cluster: the findings of its gates, by the gate's resource name, such as `mine-tikv-scale`. A gate that is not
     * listed finds nothing to do. `{}` is a live cluster without steps. A name that is no gate of the
     * program is an error. Default: a first deployment.
     */
    live?: Readonly<Record<string, LiveGate>>;
    /** Mocks the resources that are not gates. Default: Kubernetes objects and other resources get the inputs as their state. */
    newResource?: pulumi.runtime.Mocks["newResource"];
    /** Mocks the calls of provider functions. Default: a call returns its arguments. */
    call?: pulumi.runtime.Mocks["call"];
}
