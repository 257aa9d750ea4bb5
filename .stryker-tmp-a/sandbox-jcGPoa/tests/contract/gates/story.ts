import type { ElectionSample } from "../pd/electionSample";
import type { Scenario } from "./scenario";

/** @returns whether PD counts less than half of the leaders that the store has. */
export function isFarTooLow({ truth, seen }: ElectionSample, store: number): boolean {
    return seen !== undefined && seen.leaders[store] < truth[store] / 2;
}

/** @returns what a person needs to see what happened, line by line, each with seconds since the scenario began. */
export function storyOf({ taken, samples, told }: Scenario): string {
    const done = taken.map(({ at, by, action, sample: { truth, seen } }) => {
        const pd = seen ? `PD ${JSON.stringify(seen.leaders)}, held ${seen.heldForMilliseconds} ms` : "PD silent";
        return `${at} ${by} does ${JSON.stringify(action)}: truth ${JSON.stringify(truth)}, ${pd}`;
    });
    const untrue = samples.flatMap((sample) =>
        Object.keys(sample.truth)
            .map(Number)
            .filter((store) => isFarTooLow(sample, store))
            .map((store) => {
                const { at, truth, seen } = sample;
                return `${at} PD says ${seen?.leaders[store]} of store ${store}, which leads ${truth[store]}`;
            }),
    );
    return [...done, ...untrue, ...told].sort((a, b) => parseFloat(a) - parseFloat(b)).join("\n");
}
