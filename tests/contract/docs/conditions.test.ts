import { storeInPd } from "../../../provider/lifecycle/stages/storeRemoval";
import * as assert from "node:assert/strict";
import { movingStages } from "../../../provider/lifecycle/drain/moveStages";
import { memberLifecycles } from "../../../provider/lifecycle/members/memberLifecycles";
import {
    givenUpVolumesReplaced,
    keptVolumesUnmarked,
    releasedClaimsDeleted,
} from "../../../provider/lifecycle/stages/claims";
import { podAvailable, podCreated, podRestarted, podStopped } from "../../../provider/lifecycle/stages/sharedStages";
import { stepsOfLabels } from "../../../provider/lifecycle/storeLabels/setLabels";
import { stepOfReclaim } from "../../../provider/lifecycle/volumes/reclaimPolicy";
import { stepsOfDestroy } from "../../../provider/lifecycle/walks/destroy";
import { emptiedPodDeleted, volumesStay } from "../../../provider/lifecycle/walks/volumesStay";
import { pageAt } from "./pages";

/** The conditions that the walks themselves add to those of a member. */
const shared = [
    podCreated,
    podStopped,
    podRestarted,
    podAvailable,
    releasedClaimsDeleted(),
    givenUpVolumesReplaced(storeInPd),
    keptVolumesUnmarked(true),
    emptiedPodDeleted,
    ...movingStages([], volumesStay),
];

describe("the names of the conditions in docs/timeline.md", () => {
    it("are those that a run can name, each once", () => {
        const blocks = pageAt("docs/timeline.md").text.split("\n\n");
        const table = blocks.find((block) => block.includes(`\n| \`${podCreated.name}\` `)) ?? "";
        const documented = [...table.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name);
        const stages = Object.values(memberLifecycles).flatMap(
            ({ beforeUpgrade = [], beforeRestart, afterRestart, beforeRemoval, afterRemovalTakenBack }) => [
                ...beforeUpgrade,
                ...beforeRestart,
                ...afterRestart,
                ...beforeRemoval,
                ...afterRemovalTakenBack,
            ],
        );
        const steps = [stepsOfDestroy, stepsOfLabels, [stepOfReclaim]].flatMap((one) => Object.values<string>(one));
        const names = new Set([...[...shared, ...stages].map(({ name }) => name), ...steps]);
        assert.deepEqual([...documented].sort(), [...names].sort());
    });
});
