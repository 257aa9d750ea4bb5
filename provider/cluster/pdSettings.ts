import { settableKeysOf } from "../lifecycle/configEffects";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import { inWords, type ServerSettings, type Settings } from "../lifecycle/vocabulary/settings";
import { lacksSettings } from "../lifecycle/settings/sameSetting";
import { inFormOf, settingsIn } from "../lifecycle/settings/settingIn";
import type { LiveSettings, SettingsServers } from "./onlineSettings";
import type { PdConnection } from "./pdConnection";
import type { PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";
import { askPods, assertTaken, settingsOfPage } from "./settingsPage";

/** A member that gets it answers itself. Otherwise a follower asks the leader (tikv/pd pkg/utils/apiutil, `PDAllowFollowerHandleHeader`). */
const headers = { "PD-Allow-follower-handle": "true" };
/** The only item of one member that can be changed (tikv/pd server/api/log.go). */
const logLevel = "log.level";

/**
 * The settings that PD keeps in its etcd: all members share them, and they win over the file of a member that restarts. And the
 * log level of each member's process, which is gone when it restarts: `SET CONFIG pd` would change the leader's only.
 */
export class PdSettings implements SettingsServers {
    /**
     * @param members calls to the client port of PD's pods.
     * @param now the run's own clock.
     */
    constructor(
        private readonly pd: Pick<PdConnection, "ask">,
        private readonly members: Pick<PodCalls, "call" | "change" | "keepOnly">,
        private readonly now: () => number,
    ) {}

    async read(name: string, pods: readonly ObservedPod[], keys: readonly string[]): Promise<LiveSettings> {
        const isOfPod = (key: string) => settableKeysOf("pd", key)?.on === "pods";
        const [ofPods, shared] = [keys.filter(isOfPod), keys.filter((key) => !isOfPod(key))];
        this.members.keepOnly(pods);
        const live = await askPods(ofPods.length === 0 ? [] : pods, this.now, (pod) => this.configOf(pod, ofPods));
        return { live: shared.length === 0 ? live : { ...live, [name]: await this.askPd(pods, shared) } };
    }

    async set({ server, uid, settings }: ServerSettings, assertAllowed: () => void): Promise<void> {
        if (uid !== undefined) {
            return this.setLevel({ name: server, uid }, settings, assertAllowed);
        }
        const keys = Object.keys(settings);
        const before = settingsIn(await this.pd.ask((client) => client.config()), keys);
        const items = Object.entries(settings).map(([key, value]) => [key, inFormOf(before[key], value)] as const);
        await this.pd.ask((client) => client.guardedBy(assertAllowed).setConfig(Object.fromEntries(items)));
        const lacking = lacksSettings(settings, settingsIn(await this.pd.ask((client) => client.config()), keys));
        if (lacking !== undefined) {
            throw new Error(`PD accepted ${inWords(settings)}, and reports ${lacking}`);
        }
    }

    private async setLevel(pod: ForwardedPod, settings: Settings, assertAllowed: () => void): Promise<void> {
        const request = {
            method: "POST",
            path: "/pd/api/v1/admin/log",
            body: JSON.stringify(String(settings[logLevel])),
            headers,
        } as const;
        const answer = await this.members.change(pod, request, assertAllowed);
        assertTaken(pod, settings, await this.configOf(pod, Object.keys(settings)), answer);
    }

    private async askPd(pods: readonly ObservedPod[], keys: readonly string[]): Promise<Fact<Settings>> {
        const at = this.now();
        try {
            return known(settingsIn(await this.pd.ask((client) => client.config(), pods), keys), "PD", at);
        } catch (error) {
            return notKnown((error as Error).message);
        }
    }

    private async configOf(pod: ForwardedPod, keys: readonly string[]): Promise<Settings> {
        const says = await settingsOfPage(this.members, pod, { path: "/pd/api/v1/config", headers }, keys);
        // Some versions report the default as nothing, which cannot be set again (tikv/pd v7.5 server/config/config.go, `adjustLog`).
        return says[logLevel] === "" ? { ...says, [logLevel]: "info" } : says;
    }
}
