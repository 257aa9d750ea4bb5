import { type Component, components, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { settableKeysOf } from "../configEffects";
import type { Leftover } from "../vocabulary/leftover";
import type { Observation, OperationRecords } from "../vocabulary/observation";
import { type SettingsRecord, someOf } from "../vocabulary/settings";

/** @returns the settings that a run has begun to set on running servers, and that are still on record. */
export function leftSettings({ cluster, records }: Pick<Observation, "cluster" | "records">): Leftover[] {
    return membersOnRecord(records).map(([component, record]): Leftover => {
        const found = {
            kind: "settings",
            target: memberName(cluster, component),
            seen: `settings of ${topology[component].title} were being set online: ${recordInWords(record)}`,
            by: `a run of pulumi-tidb, which began it at ${new Date(record.begunAt).toISOString()}`,
            isOurs: true,
        } as const;
        return isUndoable(component, record)
            ? {
                  ...found,
                  verdict: "remove",
                  why: "each server gets back what it had, or what the ConfigMap says if that is the new value; the next `pulumi up` sets what the program says then",
              }
            : {
                  ...found,
                  verdict: "keep",
                  why: "a later version of pulumi-tidb began it, and this one cannot set all of them: `pulumi up` with that version finishes it",
              };
    });
}

/** @returns the members whose settings are on record and can be given back. */
export function undoableMembers(records: OperationRecords): Component[] {
    return membersOnRecord(records).flatMap(([component, record]) =>
        isUndoable(component, record) ? [component] : [],
    );
}

/** @returns the keys of a record with what they were to become, and from what. */
export function recordInWords({ keys }: SettingsRecord): string {
    return Object.entries(keys)
        .map(([key, { to, before }]) => {
            const values = [...new Set(Object.values(before.except))];
            const others = values.map((value) => {
                const servers = Object.keys(before.except).filter((server) => before.except[server] === value);
                return `${value} on ${someOf(servers)}`;
            });
            return `${key} from ${before.most}${others.length > 0 ? ` (${others.join(", ")})` : ""} to ${to}`;
        })
        .join("; ");
}

function membersOnRecord({ settings = {} }: OperationRecords): [Component, SettingsRecord][] {
    return components.flatMap((component): [Component, SettingsRecord][] => {
        const record = settings[component];
        return record === undefined ? [] : [[component, record]];
    });
}

function isUndoable(component: Component, { keys }: SettingsRecord): boolean {
    return Object.keys(keys).every((key) => settableKeysOf(component, key) !== undefined);
}
