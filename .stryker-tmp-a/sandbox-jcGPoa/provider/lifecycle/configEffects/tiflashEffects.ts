import type { ConfigEffects } from "./configEffects";

export const tiflashEffects: ConfigEffects = {
    sources: ["docs.pingcap.com/tidb/stable/dynamic-config, Modify TiFlash configuration dynamically"],
    online: [{ keys: ["profiles.default.max_threads"], how: "by the system variable tidb_max_tiflash_threads" }],
    bootstrap: [],
};
