import type { Figure } from "./figure";
import { changesNothing, withPair } from "./pairedPrograms";

/** The maximum preview time of a cluster, as a multiple of that of the same objects without gates. */
const previewTarget = 1.3;

/**
 * Compares the preview times of `examples/basic` and of a program with the same objects as plain resources,
 * alternately: before the first deployment, and after it with nothing to change.
 */
export function previewTime(repetitions: number, log: (line: string) => void): Promise<Figure[]> {
    const times = { repetitions, target: previewTarget };
    return withPair({}, log, async ({ compare, run, objects }) => {
        const first = await compare(
            "first preview of examples/basic / of plain resources",
            "preview",
            times,
            ({ changes }) => changes.create > objects,
        );
        await run("up", "plain");
        await run("up", "example");
        log("both deployed");
        return [
            first,
            await compare("preview without a change / of plain resources", "preview", times, changesNothing),
        ];
    });
}
