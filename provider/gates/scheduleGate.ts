import { isDeepStrictEqual } from "node:util";
import type { Gate, GateReport } from "./gateDefinition";
import { unknownPath } from "./inputs";
import type { ScheduleProgramInputs } from "./jobInputs";
import { missingBefore } from "./jobSecrets";
import { type JobPorts, type JobWorld, liveJobWorld } from "./jobWorld";

type Values = Record<string, unknown>;

/** Creates the gate of a BackupSchedule. It holds nothing back. No update waits for a backup of a schedule, so a preview says what its Jobs lack. */
export function createScheduleGate(world: JobWorld = liveJobWorld): Gate {
    /** Without its namespace, which the update creates or another Kubernetes cluster has, no Secret is known to be absent. */
    const openIfThere = async (inputs: ScheduleProgramInputs): Promise<Pick<JobPorts, "absentSecrets">> => {
        const ports = await world.open(inputs);
        return {
            absentSecrets: async (names) => {
                const absent = await ports.absentSecrets(names);
                return absent.length > 0 && (await ports.namespaceState?.()) === "missing" ? [] : absent;
            },
        };
    };
    const planOf = async (_olds: Values, news: Values): Promise<GateReport> => {
        const inputs = news as unknown as ScheduleProgramInputs;
        const { access, secrets } = inputs;
        const isKnown = unknownPath([access, inputs.job]) === undefined;
        const warnings = isKnown ? await missingBefore(inputs, secrets, () => openIfThere(inputs)) : [];
        return { inputs: { ...news, plan: [], deferred: "" }, plan: [], warnings };
    };
    return {
        planOf,
        check: async (olds, news, isPreview = false) => {
            if (isPreview) {
                const progress = world.progress(news as unknown as ScheduleProgramInputs);
                (await planOf(olds, news)).warnings.forEach((warning) => progress.warn(warning));
            }
            return { inputs: { ...news, plan: [], deferred: "" } };
        },
        diff: (_id, olds, news) => {
            const of = ({ namespace, job, secrets }: Values) => [namespace, job, secrets];
            return Promise.resolve({ changes: !isDeepStrictEqual(of(olds), of(news)) });
        },
        create: (inputs) =>
            Promise.resolve({ id: `${inputs.namespace as string}/${inputs.job as string}`, outs: inputs }),
        update: (_id, _olds, news) => Promise.resolve({ outs: news }),
    };
}

export const scheduleGate: Gate = createScheduleGate();
