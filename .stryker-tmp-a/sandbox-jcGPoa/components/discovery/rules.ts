import type { Probe } from "../componentSpec";
import type { SpecProblem } from "../problem";
import { componentProblems } from "../validation/component";
import { noEffectProblems } from "../validation/noEffect";
import type { DiscoverySpec } from "./spec";

const field = "spec.discovery";

const probesConnect = "discovery's probes connect to its port";

/** Checks discovery. */
export function discoveryProblems(spec: DiscoverySpec): SpecProblem[] {
    const why = "discovery is one pod of a Deployment, with an image of its own";
    return [
        ...componentProblems(field, spec),
        ...noEffectProblems(field, [
            { field: "version", value: spec.version, why: `${why}: set image` },
            { field: "configUpdateStrategy", value: spec.configUpdateStrategy, why },
            { field: "podManagementPolicy", value: spec.podManagementPolicy, why },
            {
                field: "suspendAction.suspendStatefulSet",
                value: spec.suspendAction?.suspendStatefulSet,
                why: "discovery keeps no data and is not suspended: PD needs it to come back",
            },
            { field: "readinessProbe.type", value: isCommand(spec.readinessProbe), why: probesConnect },
            { field: "livenessProbe.type", value: isCommand(spec.livenessProbe), why: probesConnect },
            { field: "requests.storage", value: spec.requests?.storage, why: "discovery has no volume" },
        ]),
    ];
}

function isCommand(probe: Probe | undefined): string | false {
    return probe?.type === "command" && probe.type;
}
