import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import { inWords, type ServerSettings, type Settings } from "../lifecycle/vocabulary/settings";
import { lacksSettings } from "../lifecycle/settings/sameSetting";
import { inFormOf, settingsIn } from "../lifecycle/settings/settingIn";
import type { SettingsServers } from "./onlineSettings";
import type { PdConnection } from "./pdConnection";

/** The settings that PD keeps in its etcd: all members share them, and they win over the file of a member that restarts. */
export class PdSettings implements SettingsServers {
    /** @param now the run's own clock. */
    constructor(
        private readonly pd: Pick<PdConnection, "ask">,
        private readonly now: () => number,
    ) {}

    async read(
        name: string,
        pods: readonly ObservedPod[],
        keys: readonly string[],
    ): Promise<Record<string, Fact<Settings>>> {
        const at = this.now();
        try {
            const config = await this.pd.ask((client) => client.config(), pods);
            return { [name]: known(settingsIn(config, keys), "PD", at) };
        } catch (error) {
            return { [name]: notKnown((error as Error).message) };
        }
    }

    async set({ settings }: ServerSettings, assertAllowed: () => void): Promise<void> {
        const keys = Object.keys(settings);
        const before = settingsIn(await this.pd.ask((client) => client.config()), keys);
        const items = Object.entries(settings).map(([key, value]) => [key, inFormOf(before[key], value)] as const);
        await this.pd.ask((client) => client.guardedBy(assertAllowed).setConfig(Object.fromEntries(items)));
        const lacking = lacksSettings(settings, settingsIn(await this.pd.ask((client) => client.config()), keys));
        if (lacking !== undefined) {
            throw new Error(`PD accepted ${inWords(settings)}, and reports ${lacking}`);
        }
    }
}
