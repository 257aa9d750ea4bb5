import { BlockList, isIP } from "node:net";
import type { ServiceSpec } from "../componentSpec";
import { specError, type SpecProblem } from "../problem";
import { isDnsLabel } from "./kubernetesNames";
import { annotationProblems, labelProblems } from "./metadata";
import { shown } from "./path";

/**
 * Checks a member's Service.
 *
 * @param isOperatorRule Whether tidb-operator checks it too. Then the message also contains tidb-operator's path.
 */
export function serviceProblems(
    memberField: string,
    service: ServiceSpec | undefined,
    isOperatorRule = true,
): SpecProblem[] {
    const field = `${memberField}.service`;
    const { portName, loadBalancerSourceRanges = [] } = service ?? {};
    return [
        ...labelProblems(`${field}.labels`, service?.labels),
        ...annotationProblems(`${field}.annotations`, service?.annotations),
        ...(portName === undefined || isDnsLabel(portName)
            ? []
            : [specError(`${field}.portName`, shown(portName), "a DNS label")]),
        ...loadBalancerSourceRanges.flatMap((range, index) =>
            isNetwork(range)
                ? []
                : [
                      specError(
                          `${field}.loadBalancerSourceRanges[${index}]`,
                          shown(range),
                          "a network such as 10.0.0.0/24",
                          undefined,
                          isOperatorRule ? `${memberField}.spec.LoadBalancerSourceRanges` : undefined,
                      ),
                  ],
        ),
    ];
}

function isNetwork(text: string): boolean {
    const [address, bits, ...rest] = text.trim().split("/");
    const version = isIP(address);
    if (version === 0 || rest.length > 0 || bits === undefined || !/^\d{1,3}$/.test(bits)) {
        return false;
    }
    try {
        new BlockList().addSubnet(address, Number(bits), version === 4 ? "ipv4" : "ipv6");
        return true;
    } catch {
        // The prefix is longer than the address.
        return false;
    }
}
