import { mapFact } from "../evidence";
import type { Component } from "../../../../topology/members";
import type { OperationRecords } from "../operationRecords";
import { listed } from "../counted";
import { type ServerSettings, setsInWords, type SettingsRecord, someOf } from "../settings";
import { type KindsOf, podObject, record } from "./actionKind";
import { without } from "./without";

/** Actions that change settings of running servers. */
export type SettingsAction =
    /** `record`: what the next run must know if this one dies. */
    | { do: "set-settings"; component: Component; sets: readonly ServerSettings[]; record: SettingsRecord }
    | { do: "forget-settings"; component: Component };

const serversOf = (sets: readonly ServerSettings[]) => sets.map(({ server }) => server);

export const settingsActions: KindsOf<SettingsAction> = {
    "set-settings": {
        describe: ({ sets }) => `set ${setsInWords(sets)}`,
        // The step says what changes, and on which servers in turn.
        inStep: ({ sets }) => `on ${sets.length > 3 ? someOf(serversOf(sets)) : listed(serversOf(sets))}`,
        step: () => "set",
        seconds: () => 2,
        on: ({ component, sets }) => `${component} ${setsInWords(sets)}`,
        objects: ({ sets }) =>
            sets.flatMap(({ server, uid }) => (uid === undefined ? [] : [{ ...podObject(server), uid }])),
        before: (records, action) => ({
            ...records,
            settings: { ...records.settings, [action.component]: action.record },
        }),
        perform: ({ component, sets }, { settings }) => settings.set(component, sets),
        foresee: (seen, { component, sets }) => {
            const { settings } = seen;
            const live = Object.fromEntries(
                sets.flatMap(({ server, settings: set }) => {
                    const fact = settings?.live[server];
                    return fact ? [[server, mapFact(fact, (values) => ({ ...values, ...set }))]] : [];
                }),
            );
            return settings?.component === component
                ? { ...seen, settings: { ...settings, live: { ...settings.live, ...live } } }
                : seen;
        },
    },
    "forget-settings": record({
        describe: ({ component }) => `delete the record of the settings of ${component} that were changed`,
        on: ({ component }) => component,
        after: (records, { component }) => withoutSettings(records, component),
    }),
};

/** @returns the records without the member's settings: none of them is half done any more. */
function withoutSettings(records: OperationRecords, component: Component): OperationRecords {
    const { settings, ...others } = records;
    const left = without({ ...settings }, component);
    return Object.keys(left).length === 0 ? others : { ...others, settings: left };
}
