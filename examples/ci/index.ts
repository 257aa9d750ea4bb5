import { readFileSync } from "node:fs";
import { TidbCluster, type TidbClusterArgs } from "pulumi-tidb";

// `pulumi-tidb plan` reads the same two files, so the plan on a pull request is the plan of this program.
const operations = JSON.parse(readFileSync("operations.json", "utf8")) as TidbClusterArgs["operations"];
const cluster = TidbCluster.fromYaml("shop", "cluster.yaml", { operations });

export const host = cluster.sqlEndpoint;
export const ready = cluster.ready;
