import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import type { ServerSettings, Settings } from "../lifecycle/vocabulary/settings";
import type { ForwardedPod } from "./podForwards";
import type { LiveSettings, SettingsServers } from "./onlineSettings";
import type { PodCalls } from "./podCalls";
import { askPods, assertTaken, settingsOfPage } from "./settingsPage";

/**
 * The settings of TiKV's processes, on their status port: `GET /config` and `POST /config` (tikv src/server/status_server).
 * TiKV also writes what it takes over into its configuration file. In a pod the file is a ConfigMap, which is read-only: TiKV then
 * answers 500 although it has the settings. So only what it says afterwards counts.
 */
export class TikvSettings implements SettingsServers {
    /** @param now the run's own clock. */
    constructor(
        private readonly calls: Pick<PodCalls, "call" | "change">,
        private readonly now: () => number,
    ) {}

    async read(_name: string, pods: readonly ObservedPod[], keys: readonly string[]): Promise<LiveSettings> {
        return { live: await askPods(pods, this.now, (pod) => this.config(pod, keys)) };
    }

    async set({ server, uid = "", settings }: ServerSettings, assertAllowed: () => void): Promise<void> {
        const pod = { name: server, uid };
        const request = { method: "POST", path: "/config", body: settings } as const;
        const answer = await this.calls.change(pod, request, assertAllowed);
        assertTaken(pod, settings, await this.config(pod, Object.keys(settings)), answer);
    }

    private config(pod: ForwardedPod, keys: readonly string[]): Promise<Settings> {
        // Without `full` TiKV leaves out what it calls hidden, which can be set too.
        return settingsOfPage(this.calls, pod, { path: "/config?full=true" }, keys);
    }
}
