import type { Probe } from "../componentSpec";
import type { SpecProblem } from "../problem";
import { componentProblems } from "../validation/component";
import { noEffectProblems } from "../validation/noEffect";
import type { DiscoverySpec } from "./spec";

const field = "spec.discovery";

const probesConnect = "discovery's probes only connect to its port";

/** Checks discovery. */
export function discoveryProblems(spec: DiscoverySpec): SpecProblem[] {
    const why = "discovery is a Deployment with one pod and its own image";
    return [
        ...componentProblems(field, spec),
        ...noEffectProblems(field, [
            { field: "version", value: spec.version, why: `${why}; set image instead` },
            { field: "configUpdateStrategy", value: spec.configUpdateStrategy, why },
            { field: "podManagementPolicy", value: spec.podManagementPolicy, why },
            {
                field: "suspendAction.suspendStatefulSet",
                value: spec.suspendAction?.suspendStatefulSet,
                why: "discovery is not suspended: it keeps no data, and PD needs it to come back",
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
