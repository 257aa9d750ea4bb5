import { TidbCluster, TidbInitializer } from "pulumi-tidb";

const metadata = { namespace: "initializer" };

const tidbCluster = new TidbCluster("app", {
    metadata,
    spec: {
        version: "v8.5.3",
        pd: { replicas: 3, requests: { storage: "1Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
    },
});

// The Secret is made beforehand, so no password is in the state of this stack.
export const initialized = new TidbInitializer("app", {
    tidbCluster,
    spec: {
        passwordSecret: "app-passwords",
        initSql: `
            CREATE DATABASE IF NOT EXISTS app;
            GRANT ALL PRIVILEGES ON app.* TO 'app'@'%';
        `,
    },
}).gate.id;
export const host = tidbCluster.sqlEndpoint;
