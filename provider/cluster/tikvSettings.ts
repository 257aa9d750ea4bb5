import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import { inWords, type ServerSettings, type Settings } from "../lifecycle/vocabulary/settings";
import { lacksSettings } from "../lifecycle/settings/sameSetting";
import { inGroups } from "./inGroups";
import type { ForwardedPod } from "./podForwards";
import type { LiveSettings, SettingsServers } from "./onlineSettings";
import type { PodCalls } from "./podCalls";
import { settingsOfPage } from "./settingsPage";

/** How many stores are asked at once. */
const asksAtOnce = 16;
/** How much of a refusal a message shows. */
const shownCharacters = 300;

/**
 * The settings of TiKV's processes, on their status port: `GET /config` and `POST /config` (tikv src/server/status_server).
 * TiKV also writes what it takes over into its configuration file. In a pod the file is a ConfigMap, which is read-only: TiKV then
 * answers 500 although it has the settings. So only what it says afterwards counts.
 */
export class TikvSettings implements SettingsServers {
    /** @param now the run's own clock. */
    constructor(
        private readonly calls: Pick<PodCalls, "call">,
        private readonly now: () => number,
    ) {}

    async read(_name: string, pods: readonly ObservedPod[], keys: readonly string[]): Promise<LiveSettings> {
        const answers = await inGroups(pods, asksAtOnce, async (pod) => [pod.name, await this.ask(pod, keys)] as const);
        return { live: Object.fromEntries(answers) };
    }

    async set({ server, uid = "", settings }: ServerSettings, assertAllowed: () => void): Promise<void> {
        const pod = { name: server, uid };
        assertAllowed();
        const { status, text } = await this.calls.call(pod, { method: "POST", path: "/config", body: settings });
        const lacking = lacksSettings(settings, await this.config(pod, Object.keys(settings)));
        if (lacking !== undefined) {
            const answer = `answered ${status}: ${text.slice(0, shownCharacters) || "nothing"}`;
            throw new Error(`${server} does not take over ${inWords(settings)}: it ${answer}, and reports ${lacking}`);
        }
    }

    private async ask(pod: ObservedPod, keys: readonly string[]): Promise<Fact<Settings>> {
        const at = this.now();
        if (pod.terminating) {
            return notKnown(`${pod.name} is being deleted`);
        }
        try {
            return known(await this.config(pod, keys), pod.name, at);
        } catch (error) {
            return notKnown((error as Error).message);
        }
    }

    private config(pod: ForwardedPod, keys: readonly string[]): Promise<Settings> {
        // Without `full` TiKV leaves out what it calls hidden, which can be set too.
        return settingsOfPage(this.calls, pod, { path: "/config?full=true" }, keys);
    }
}
