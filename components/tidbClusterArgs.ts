import type * as pulumi from "@pulumi/pulumi";
import type { AccessArgs } from "./access";
import type { OperationsArgs } from "./operations";
import type { TidbClusterSpecArgs } from "./specArgs";

/** Arguments of a TidbCluster. */
export interface TidbClusterArgs extends AccessArgs {
    /** Name (default: the resource's name), namespace (default: `default`), labels and annotations. */
    metadata?: {
        /** Name of the cluster. The name of every object begins with it. Cannot be changed later. */
        name?: string;
        namespace?: pulumi.Input<string>;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
    };
    /**
     * The desired cluster, with the field names of tidb-operator's `v1alpha1`. Values may be Outputs. Fields that decide
     * which resources exist, such as a member or TiDB's Service, must be plain values.
     */
    spec: TidbClusterSpecArgs;
    /** How the gates connect to PD. */
    pd?: {
        /** Addresses of PD: `http(s)://host:port`, separated by commas. Default: a port-forward through the API server. */
        address?: pulumi.Input<string>;
    };
    /** Settings for the operation of the cluster that are not part of its spec. They must be plain values, not Outputs. */
    operations?: OperationsArgs;
}

/** Arguments of `TidbCluster.fromYaml`. */
export interface YamlClusterArgs extends Omit<TidbClusterArgs, "metadata" | "spec"> {
    /** The cluster to deploy if the file has several: `TidbCluster/NAME`. */
    only?: string;
}
