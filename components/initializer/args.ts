import type * as pulumi from "@pulumi/pulumi";
import type { AccessArgs } from "../access";
import type { JobRunArgs } from "../jobRunArgs";
import type { TidbCluster } from "../tidbCluster";
import type { InitializerSpec, InitializerTexts } from "./spec";

/** What a TidbInitializer does, where texts may be Outputs. */
export type InitializerSpecArgs = Omit<InitializerSpec, InitializerTexts> &
    WithOutputs<Pick<InitializerSpec, InitializerTexts>>;

type WithOutputs<T> = { [K in keyof T]: pulumi.Input<T[K]> };

/** Arguments of a TidbInitializer. */
export interface TidbInitializerArgs extends AccessArgs, JobRunArgs {
    /** Name (default: the resource's name), namespace (default: that of `tidbCluster`, or else `default`), labels and annotations. */
    metadata?: {
        name?: string;
        namespace?: pulumi.Input<string>;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
    };
    /**
     * The cluster, if this program deploys it. The Job then waits until the cluster is ready, and takes the port, TLS and, unless it is set here, the access to Kubernetes from it. Default: the cluster of
     * `spec.cluster` is deployed by someone else; its port must be 4000, and TLS is used only with `spec.tlsClientSecretName`.
     */
    tidbCluster?: TidbCluster;
    /** What it does. Texts may be Outputs; which fields there are may not. */
    spec: InitializerSpecArgs;
}

/** Arguments of `TidbInitializer.fromYaml`. */
export interface YamlInitializerArgs extends Omit<TidbInitializerArgs, "metadata" | "spec"> {
    /** The TidbInitializer to create if the file has several: `TidbInitializer/NAME`. */
    only?: string;
}
