import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress } from "../kubernetes/pdAddress";
import { shellWord } from "../kubernetes/shellQuote";
import { execLines, prologue, scriptText, setArguments } from "../kubernetes/startScript";
import { hasFlag, listenHost, type PdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { waitForName } from "../kubernetes/waitForName";
import type { PdMicroserviceName } from "./spec";

/** Options of the start script of a microservice of PD. */
export interface PdMicroserviceScriptOptions extends PdClientScriptOptions {
    /** Which microservice. */
    name: PdMicroserviceName;
    /** Whether the server gets a name, with which it can be made the primary: from version 8.3.0 on. */
    isNamed: boolean;
    /** How long the script waits until DNS knows the pod's name, in seconds (`spec.pd.startTimeout`). Default: 30. */
    startTimeout?: number;
    /** How long the script sleeps first, in seconds (`spec.pd.initWaitTime`). Default: 0. */
    initWaitTime?: number;
}

/**
 * Returns the start script of a microservice's container, in POSIX sh. As in tidb-operator, it always follows version v2,
 * regardless of `spec.startScriptVersion` (pkg/manager/member/startscript/v2/pd_start_script.go).
 */
export function pdMicroserviceStartScript(given: PdMicroserviceScriptOptions): string {
    const options: PdMicroserviceScriptOptions = { ...given, version: "v2" };
    const { name, scheme } = options;
    const pd = pdAddress(options, true, "/var/lib/pd-tls");
    const ownName = options.clusterDomain ? "$domain" : "$pod";
    return scriptText(
        prologue(`PD's microservice ${name}`, options, headlessServiceName(options.clusterName, name)),
        options.initWaitTime ? [`sleep ${options.initWaitTime}`] : [],
        [""],
        waitForName({
            seconds: options.startTimeout ?? 30,
            tools: ["dig", "nslookup", "getent"],
            ownAddress: hasFlag(options, "WaitForDnsNameIpMatch"),
        }),
        pd.lines,
        setArguments([
            "services",
            shellWord(name),
            ...(options.isNamed ? [`--name="${ownName}"`] : []),
            `--listen-addr="${scheme}://${listenHost(options)}:${ports[name].client}"`,
            `--advertise-listen-addr="${scheme}://$domain:${ports[name].client}"`,
            `--backend-endpoints=${pd.word}`,
            "--config=/etc/pd/pd.toml",
        ]),
        execLines("/pd-server"),
    );
}
