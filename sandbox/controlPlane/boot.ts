import { generateKeyPairSync, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import {
    apiServerArguments,
    controllerManagerArguments,
    etcdArguments,
    kwokArguments,
    loopback,
    schedulerArguments,
    type Ports,
} from "./arguments";
import { renderKubeconfig, renderTokens } from "./kubeconfig";
import type { Layout } from "./layout";
import { makeFolder } from "./makeFolder";
import { populate } from "./populate";
import { choosePorts } from "./ports";
import { lastLinesOf, runProgram, type RunningProgram } from "./programRunner";
import type { ControlPlaneProgram } from "./programs/catalogue";
import type { ProgramFiles } from "./programs/provide";
import { BootTimeoutError, createAsker, ProgramEndedError, waitUntil } from "./readiness";
import { renderKwokConfiguration, type PodTimings } from "./stages";

/** Options for booting a control plane. */
export interface BootOptions {
    name: string;
    layout: Layout;
    files: ProgramFiles;
    nodes: number;
    podTimings: PodTimings;
    /** The components whose pods run as processes. */
    processComponents?: readonly string[];
    /** Whether etcd's data and the service accounts' key are there already. */
    isResumed: boolean;
    /** The time limit of the whole boot. */
    bootMilliseconds: number;
    log: (line: string) => void;
    /** Chooses the ports. Tests use it to return a port that is taken. */
    choosePorts?: () => Promise<Ports>;
}

/** A control plane that is ready for use. */
export interface Booted {
    server: string;
    programs: RunningProgram[];
}

const attempts = 5;

/**
 * Starts the programs and waits until the cluster is usable. If another process takes a chosen port before it is used,
 * booting starts again with other ports.
 */
export async function boot(options: BootOptions): Promise<Booted> {
    for (let attempt = 1; ; attempt++) {
        const programs: RunningProgram[] = [];
        try {
            prepareFolder(options);
            const server = await bootOnce(options, await (options.choosePorts ?? choosePorts)(), programs);
            return { server, programs };
        } catch (error) {
            await Promise.all(programs.map((program) => program.stop()));
            if (!(error instanceof ProgramEndedError && error.portInUse) || attempt === attempts) {
                throw error;
            }
            options.log(`another process took a port of ${error.end.name}; trying other ports`);
        }
    }
}

function prepareFolder({ layout, podTimings, processComponents, isResumed }: BootOptions): void {
    const data = isResumed ? [] : [layout.etcdData];
    for (const folder of [layout.processIds, layout.logs, layout.certificates, ...data]) {
        fs.rmSync(folder, { recursive: true, force: true });
        makeFolder(folder, 0o700);
    }
    if (!isResumed) {
        const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        const key = privateKey.export({ type: "sec1", format: "pem" });
        fs.writeFileSync(layout.serviceAccountKey, key, { mode: 0o600 });
    }
    fs.writeFileSync(layout.kwokConfiguration, renderKwokConfiguration(podTimings, processComponents));
}

async function bootOnce(options: BootOptions, ports: Ports, programs: RunningProgram[]): Promise<string> {
    const { layout, files } = options;
    const deadline = Date.now() + options.bootMilliseconds;
    const server = `https://${loopback}:${ports.apiServer}`;
    const token = randomBytes(24).toString("hex");
    fs.writeFileSync(layout.tokens, renderTokens(token), { mode: 0o600 });

    const start = (name: ControlPlaneProgram, args: string[]): void => {
        programs.push(runProgram(name, files[name], args, layout));
    };
    const wait = (step: string, program: ControlPlaneProgram, isReady: () => Promise<boolean>): Promise<void> =>
        waitUntil({
            step,
            programs,
            deadline,
            isReady,
            timeout: (late) => {
                const log = path.join(layout.logs, `${program}.log`);
                return new BootTimeoutError(late, options.bootMilliseconds, log, lastLinesOf(log));
            },
        });

    start("etcd", etcdArguments(layout, ports));
    start("kube-apiserver", apiServerArguments(layout, ports));
    await wait("the API server to sign its certificate", "kube-apiserver", () =>
        Promise.resolve(hasCertificate(layout)),
    );
    const certificateAuthority = fs.readFileSync(layout.servingCertificate, "utf8");
    const kubeconfig = renderKubeconfig({ name: options.name, server, certificateAuthority, token });
    fs.writeFileSync(layout.kubeconfig, kubeconfig, { mode: 0o600 });
    const apiServer = createAsker(server, token, certificateAuthority);
    const kubelet = createAsker(`http://${loopback}:${ports.kubelet}`);
    try {
        await wait("the API server to answer", "kube-apiserver", () => apiServer.isOk("/readyz"));
        start("kube-controller-manager", controllerManagerArguments(layout));
        start("kube-scheduler", schedulerArguments(layout));
        await populate(kubeconfig, options.nodes, ports.kubelet);
        await wait("the API server to serve KWOK's resource kinds", "kube-apiserver", () =>
            apiServer.isOk("/apis/kwok.x-k8s.io/v1alpha1/portforwards"),
        );
        start("kwok", kwokArguments(layout, ports));
        await wait("KWOK to answer", "kwok", () => kubelet.isOk("/healthz"));
        await wait("the controllers to work", "kube-controller-manager", () =>
            apiServer.isOk("/api/v1/namespaces/default/serviceaccounts/default"),
        );
    } finally {
        apiServer.close();
        kubelet.close();
    }
    return server;
}

// The API server writes the key after the certificate, so the certificate is complete once the key exists.
function hasCertificate(layout: Layout): boolean {
    return fs.existsSync(layout.servingKey) && fs.statSync(layout.servingKey).size > 0;
}
