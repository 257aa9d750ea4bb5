import * as k8s from "@pulumi/kubernetes";
import { TidbCluster } from "pulumi-tidb";
import { certificates } from "./certificates";
import { cluster } from "./cluster";

const { name, namespace } = cluster.metadata;
const inNamespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: namespace } });

const dependsOn = certificates(cluster, { parent: inNamespace });
const tidb = new TidbCluster(name, cluster, { dependsOn });

export const host = tidb.sqlEndpoint;
export const images = tidb.images;
