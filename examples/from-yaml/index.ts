import { TidbCluster } from "pulumi-tidb";

const cluster = TidbCluster.fromYaml("basic", "cluster.yaml");

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
export const ready = cluster.ready;
