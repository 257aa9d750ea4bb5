import type { GatePorts } from "../cluster/gatePorts";
import { nextUndoMove } from "../lifecycle/settings/nextSettings";
import type { SettingsTarget } from "../lifecycle/settings/settingsPlan";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import { GateError } from "./gateError";
import { runOperation } from "./loop";

/** An operation that sets settings. */
interface SettingOperation {
    readonly description: string;
    readonly look: LookOptions;
    readonly target: SettingsTarget;
}

/**
 * Carries out the operation. If it fails, or is told to stop, the values that it replaced are set again first. What cannot be
 * undone now stays on record, and the error says so: the next run continues from there.
 * @throws whatever the operation throws, with what became of the settings.
 */
export async function undoingFailure(
    { description, look, target }: SettingOperation,
    ports: GatePorts,
    work: () => Promise<void>,
): Promise<void> {
    try {
        await work();
    } catch (error) {
        const ending = await undo({ description, look, target }, ports);
        if (ending === undefined) {
            throw error;
        }
        throw error instanceof GateError
            ? new GateError({ ...error.problem, seen: `${error.problem.seen}; ${ending}` }, { cause: error })
            : new Error(`${(error as Error).message}; ${ending}`, { cause: error });
    }
}

/** @returns what became of the settings that were set, in words; undefined if none were. Never throws: the first error matters more. */
async function undo({ description, look, target }: SettingOperation, ports: GatePorts): Promise<string | undefined> {
    let hasSet = false;
    try {
        await runOperation(
            {
                description: `undo: ${description}`,
                look,
                next: (observation, memory) => {
                    hasSet ||= observation.records.settings?.[target.component] !== undefined;
                    return nextUndoMove(observation, target, memory);
                },
            },
            undisturbed(ports),
        );
        return hasSet ? "what was set before is taken back" : undefined;
    } catch (error) {
        return `what was set may not all be taken back: ${(error as Error).message} The next \`pulumi up\` continues from there`;
    }
}

/**
 * Ports of a run that ends: a request to stop has been heard, and a lock that somebody else has taken is not waited for, because
 * that run reads the record too.
 */
function undisturbed(ports: GatePorts): GatePorts {
    const { progress } = ports;
    return {
        ...ports,
        lease: async () => {
            const lease = await ports.lease();
            return lease && { ...lease, stopAsked: undefined };
        },
        look: async (options, lag) => ({ ...(await ports.look(options, lag)), stopRequest: undefined }),
        tryLock: async (lease, operation) => {
            const answer = await ports.tryLock(lease, operation);
            if (!("lock" in answer)) {
                throw new Error(`${answer.heldBy} holds the lock (${answer.operation}).`);
            }
            return answer;
        },
        progress: {
            info: (message) => progress.info(message),
            warn: (notice) => progress.warn(notice),
            status: (message) => progress.status(message),
            note: (message) => progress.note(message),
        },
    };
}
