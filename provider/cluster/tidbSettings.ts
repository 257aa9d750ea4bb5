import {
    instanceVariables,
    settingsOfVariables,
    statusPortFields,
    statusPortSettings,
    zeroOrOne,
} from "../lifecycle/configEffects/tidbSettings";
import type { Fact } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import { inWords, type ServerSettings, type Settings } from "../lifecycle/vocabulary/settings";
import { inGroups } from "./inGroups";
import { KubernetesApiError } from "./apiCall";
import type { LiveSettings, SettingsServers } from "./onlineSettings";
import type { PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";
import type { NoLogin, RootLogin } from "./rootLogin";
import { askPods, asksAtOnce, assertTaken, settingsOfPage } from "./settingsPage";
import { SqlLoginError, type SqlStatement } from "./sqlLogin";

/** What one server says over SQL. */
type SqlAnswer = { readonly settings: Settings } | { readonly why: string } | { readonly noLogin: NoLogin };

/**
 * The settings of TiDB's processes, which are gone when they restart: some on the status port, which takes no password, and the
 * others as system variables of one instance, which take a login as root.
 */
export class TidbSettings implements SettingsServers {
    /**
     * @param calls to the status port.
     * @param now the run's own clock.
     */
    constructor(
        private readonly calls: Pick<PodCalls, "call" | "change" | "keepOnly">,
        private readonly root: Pick<RootLogin, "ask" | "keepOnly">,
        private readonly now: () => number,
    ) {}

    async read(_name: string, pods: readonly ObservedPod[], keys: readonly string[]): Promise<LiveSettings> {
        const [onPage, bySql] = split(keys);
        this.calls.keepOnly(pods);
        this.root.keepOnly(pods);
        const alive = pods.filter(({ terminating }) => !terminating);
        const pages = await askPods(pods, this.now, (pod) => this.page(pod, onPage));
        const sql = bySql.length === 0 ? new Map<string, SqlAnswer>() : await this.variables(alive, bySql);
        const barred = [...sql.values()].flatMap((answer) => ("noLogin" in answer ? [answer.noLogin] : []));
        const live = pods.map(({ name }) => [name, together(pages[name], sql.get(name))] as const);
        const unasked = [...sql].flatMap(([name, answer]) =>
            "why" in answer ? [[name, Object.fromEntries(bySql.map((key) => [key, answer.why]))] as const] : [],
        );
        return {
            live: Object.fromEntries(live),
            ...(unasked.length > 0 ? { unasked: Object.fromEntries(unasked) } : {}),
            ...(barred.length > 0 ? { barred: { keys: bySql, ...barred[0] } } : {}),
        };
    }

    async set({ server, uid = "", settings }: ServerSettings, assertAllowed: () => void): Promise<void> {
        const pod = { name: server, uid };
        const [onPage, bySql] = split(Object.keys(settings)).map((keys) => some(settings, keys));
        if (Object.keys(onPage).length > 0) {
            await this.setOnPage(pod, onPage, assertAllowed);
        }
        if (Object.keys(bySql).length > 0) {
            await this.setVariables(pod, bySql, assertAllowed);
        }
    }

    private async setOnPage(pod: ForwardedPod, settings: Settings, assertAllowed: () => void): Promise<void> {
        const body = new URLSearchParams(statusPortFields(settings));
        const answer = await this.calls.change(pod, { method: "POST", path: "/settings", body }, assertAllowed);
        assertTaken(pod, settings, await this.page(pod, Object.keys(settings)), answer);
    }

    private async setVariables(pod: ForwardedPod, settings: Settings, assertAllowed: () => void): Promise<void> {
        const changes = Object.entries(settings).map(([key, value]) => ({
            changes: true as const,
            sql: `SET GLOBAL ${instanceVariables[key].variable} = ?`,
            values: [zeroOrOne(value)],
        }));
        const keys = Object.keys(settings);
        const statements = [...changes, showVariables(keys)];
        const answer = await this.root.ask(pod, statements, assertAllowed).catch((error: unknown) => {
            if (!(error instanceof SqlLoginError || error instanceof KubernetesApiError)) {
                throw error;
            }
            throw new Error(`${pod.name} does not take over ${inWords(settings)}: ${error.message}`, { cause: error });
        });
        if ("noLogin" in answer) {
            throw new Error(answer.noLogin.seen);
        }
        assertTaken(pod, settings, settingsOfRows(keys, answer.rows.at(-1) ?? []));
    }

    /** Asks the first server alone: if it refuses root's password, so do the others. */
    private async variables(pods: readonly ObservedPod[], keys: readonly string[]): Promise<Map<string, SqlAnswer>> {
        const ask = async (pod: ObservedPod) => [pod.name, await this.variablesOf(pod, keys)] as const;
        const first = await inGroups(pods.slice(0, 1), 1, ask);
        return new Map([...first, ...(await inGroups(pods.slice(1), asksAtOnce, ask))]);
    }

    private async variablesOf(pod: ObservedPod, keys: readonly string[]): Promise<SqlAnswer> {
        try {
            const answer = await this.root.ask(pod, [showVariables(keys)]);
            return "noLogin" in answer ? answer : { settings: settingsOfRows(keys, answer.rows[0] ?? []) };
        } catch (error) {
            return { why: `${pod.name}: ${(error as Error).message}` };
        }
    }

    private page(pod: ForwardedPod, keys: readonly string[]): Promise<Settings> {
        return keys.length === 0 ? Promise.resolve({}) : settingsOfPage(this.calls, pod, { path: "/settings" }, keys);
    }
}

function split(keys: readonly string[]): [onPage: string[], bySql: string[]] {
    return [
        keys.filter((key) => Object.hasOwn(statusPortSettings, key)),
        keys.filter((key) => Object.hasOwn(instanceVariables, key)),
    ];
}

function some(settings: Settings, keys: readonly string[]): Settings {
    return Object.fromEntries(keys.map((key) => [key, settings[key]]));
}

/** TiDB lists only variables that it has and that root may see: without the others it does not fail, as a SELECT would. */
function showVariables(keys: readonly string[]): SqlStatement {
    const names = keys.map((key) => instanceVariables[key].variable);
    return { sql: "SHOW GLOBAL VARIABLES WHERE Variable_name IN (?)", values: [names] };
}

function settingsOfRows(keys: readonly string[], rows: readonly Record<string, unknown>[]): Settings {
    return settingsOfVariables(
        keys,
        Object.fromEntries(rows.map((row) => [String(row.Variable_name), String(row.Value)])),
    );
}

function together(page: Fact<Settings>, sql: SqlAnswer | undefined): Fact<Settings> {
    return page.known && sql !== undefined && "settings" in sql
        ? { ...page, value: { ...page.value, ...sql.settings } }
        : page;
}
