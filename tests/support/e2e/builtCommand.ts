import { createRequire } from "node:module";
import * as path from "node:path";

/** The built command pulumi-tidb, as users run it. */
export const builtCommand = path.join(
    path.dirname(createRequire(__filename).resolve("pulumi-tidb-cli/package.json")),
    "pulumi-tidb.js",
);
