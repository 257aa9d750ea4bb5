import type { ConfigEffects } from "./configEffects";

/** TiProxy watches its configuration file, which is the ConfigMap mounted in its pod. */
export const tiproxyEffects: ConfigEffects = {
    sources: ["docs.pingcap.com/tidb/stable/tiproxy-configuration, items with: Support hot-reload: yes"],
    online: [
        {
            how: "when TiProxy notices the changed file",
            readsChangedFile: true,
            keys: [
                "proxy.max-connections",
                "proxy.conn-buffer-size",
                "proxy.proxy-protocol",
                "proxy.graceful-wait-before-shutdown",
                "proxy.graceful-close-conn-timeout",
                "log.level",
            ],
        },
    ],
    bootstrap: [],
};
