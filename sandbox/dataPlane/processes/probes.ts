import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as http from "node:http";
import * as https from "node:https";
import * as net from "node:net";

/** How often in a row a probe has succeeded or failed. */
export interface ProbeCounts {
    successes: number;
    failures: number;
}

/** What a probe says of its container, after as many answers of one kind as it asks for. */
export type ProbeVerdict = "succeeds" | "fails" | "undecided";

/** Counts an answer, with the thresholds of Kubernetes. */
export function countAnswer(
    { successThreshold = 1, failureThreshold = 3 }: k8s.V1Probe,
    before: ProbeCounts,
    isOk: boolean,
): { counts: ProbeCounts; verdict: ProbeVerdict } {
    const counts = isOk
        ? { successes: before.successes + 1, failures: 0 }
        : { successes: 0, failures: before.failures + 1 };
    const verdict =
        counts.successes >= successThreshold ? "succeeds" : counts.failures >= failureThreshold ? "fails" : "undecided";
    return { counts, verdict };
}

/** Runs a command in a container, and returns whether it succeeded in time. */
export type ContainerExec = (command: readonly string[], milliseconds: number) => Promise<boolean>;

/** Asks a container once, as kubelet does. */
export async function askProbe(
    { tcpSocket, httpGet, exec, timeoutSeconds = 1 }: k8s.V1Probe,
    container: k8s.V1Container,
    address: string,
    run: ContainerExec,
): Promise<boolean> {
    const milliseconds = timeoutSeconds * 1000;
    if (exec) {
        return run(exec.command ?? [], milliseconds);
    }
    if (tcpSocket) {
        return connects(tcpSocket.host ?? address, portOf(container, tcpSocket.port), milliseconds);
    }
    if (httpGet) {
        return getOk(httpGet, container, address, milliseconds);
    }
    throw new Error(`container ${container.name} has a probe of a kind that processes cannot have, such as grpc`);
}

function portOf({ name, ports = [] }: k8s.V1Container, port: k8s.IntOrString): number {
    const found = typeof port === "number" ? port : ports.find((one) => one.name === port)?.containerPort;
    if (found === undefined) {
        throw new Error(`container ${name} has no port named ${port}`);
    }
    return found;
}

function connects(host: string, port: number, milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
        const socket = net.connect({ host, port });
        const end = (isOk: boolean): void => {
            socket.destroy();
            resolve(isOk);
        };
        socket.setTimeout(milliseconds, () => end(false));
        socket.once("connect", () => end(true));
        socket.once("error", () => end(false));
    });
}

/** Returns whether a container answers a GET, as kubelet sees it. @param address that of the pod, unless the action names a host. */
export function getOk(
    { scheme, host = "", port, path = "/", httpHeaders = [] }: k8s.V1HTTPGetAction,
    container: k8s.V1Container,
    address: string,
    milliseconds: number,
): Promise<boolean> {
    const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
    return new Promise((resolve) => {
        const at = { host: host || address, port: portOf(container, port) };
        const options = { ...at, path, headers, timeout: milliseconds, agent: false };
        const onAnswer = ({ statusCode = 0 }: http.IncomingMessage): void => {
            request.destroy();
            resolve(statusCode >= 200 && statusCode < 400);
        };
        const request =
            scheme === "HTTPS"
                ? // As kubelet: a probe does not check the certificate.
                  https.get({ ...options, rejectUnauthorized: false }, onAnswer)
                : http.get(options, onAnswer);
        request.once("timeout", () => request.destroy());
        request.once("error", () => resolve(false));
        request.once("close", () => resolve(false));
    });
}
