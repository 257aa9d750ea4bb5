import { ports } from "../../topology/ports";
import type { Container, KubernetesFields } from "../kubernetes/pod";
import { present } from "../kubernetes/present";
import { readinessProbe, tcpHandler } from "../kubernetes/probes";
import { literalInPod, shellWord } from "../kubernetes/shellQuote";
import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, privateKeyKey, scheme } from "../kubernetes/tls";
import { type MountedVolume, temporaryFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { TidbSpec } from "./spec";

const startupProbeFolder = "/var/lib/customized-startup-probe";

/** @returns TiDB's readiness probe: its SQL port accepts a connection; with the type `command`, its status page answers. */
export function tidbReadinessProbe(manifest: TidbClusterManifest, spec: TidbSpec): KubernetesFields {
    const handler =
        spec.readinessProbe?.type === "command"
            ? { exec: { command: statusCommand(manifest) } }
            : tcpHandler(ports.tidb.sql);
    return readinessProbe(handler, spec.readinessProbe);
}

function statusCommand(manifest: TidbClusterManifest): string[] {
    const command = ["curl", `${scheme(manifest)}://127.0.0.1:${ports.tidb.status}/status`, "--fail", "--location"];
    const folder = clusterTlsFolder("tidb");
    return hasClusterTls(manifest)
        ? [
              ...command,
              ...["--cacert", `${folder}/${caKey}`],
              ...["--cert", `${folder}/${certificateKey}`],
              ...["--key", `${folder}/${privateKeyKey}`],
          ]
        : command;
}

/** The parts that a user's startup probe adds to TiDB. */
export interface StartupProbe {
    readonly probe: KubernetesFields | undefined;
    readonly initContainers: Container[];
    readonly volumes: MountedVolume[];
}

/** Renders a startup probe that runs a program from an image. An init container copies the program to a volume that TiDB's container mounts. */
export function startupProbe(spec: TidbSpec): StartupProbe {
    const custom = spec.customizedStartupProbe;
    if (custom === undefined) {
        return { probe: undefined, initContainers: [], volumes: [] };
    }
    const program = custom.binaryName;
    const shared = temporaryFolder(program, startupProbeFolder);
    const [from, to, done] = [`/${program}`, `${startupProbeFolder}/${program}`, `${program} copy finished`].map(
        shellWord,
    );
    return {
        probe: present({
            exec: { command: [`${startupProbeFolder}/${program}`, ...(custom.args ?? [])] },
            successThreshold: 1,
            timeoutSeconds: atLeastOne(custom.timeoutSeconds),
            periodSeconds: atLeastOne(custom.periodSeconds),
            failureThreshold: atLeastOne(custom.failureThreshold),
        }),
        initContainers: [
            {
                name: program,
                image: custom.image,
                imagePullPolicy: "IfNotPresent",
                command: ["/bin/sh", "-c"],
                args: [literalInPod(`cp ${from} ${to}; echo ${done}`)],
                ...present({ securityContext: spec.securityContext }),
                volumeMounts: [shared.mount],
            },
        ],
        volumes: [shared],
    };
}

function atLeastOne(value: number | undefined): number | undefined {
    return value !== undefined && value >= 1 ? value : undefined;
}
