import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { LifecycleController } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb-admin", {
    metadata: { name: config.get("namespace") ?? "tidb-admin" },
});

const controller = new LifecycleController("tidb-controller", {
    namespace: namespace.metadata.name,
    image: config.require("image"),
    // The namespaces of your clusters. They must exist: a Role is created in each.
    clusterNamespaces: config.getObject<string[]>("clusterNamespaces") ?? ["tidb"],
    act: ["failover", "sweep"],
    replicas: 2,
});

export const endpoint = controller.endpoint;
