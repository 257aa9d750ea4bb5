import * as path from "node:path";

/** The files of one sandbox. All are in the sandbox's folder and are removed with it. */
export interface Layout {
    folder: string;
    state: string;
    /** Exists if the folder stays when its sandbox ends, so that the next one of its name continues with it. */
    kept: string;
    kubeconfig: string;
    /** Contains one file per running program, named after it, with its process id. */
    processIds: string;
    logs: string;
    etcdData: string;
    /** The folder where the API server writes its self-signed certificate. */
    certificates: string;
    servingCertificate: string;
    servingKey: string;
    serviceAccountKey: string;
    tokens: string;
    kwokConfiguration: string;
}

/** Returns the paths of the files in a sandbox's folder. */
export function layoutOf(folder: string): Layout {
    const certificates = path.join(folder, "certificates");
    return {
        folder,
        state: path.join(folder, "sandbox.json"),
        kept: path.join(folder, "kept"),
        kubeconfig: path.join(folder, "kubeconfig"),
        processIds: path.join(folder, "processes"),
        logs: path.join(folder, "logs"),
        etcdData: path.join(folder, "etcd"),
        certificates,
        servingCertificate: path.join(certificates, "apiserver.crt"),
        servingKey: path.join(certificates, "apiserver.key"),
        serviceAccountKey: path.join(folder, "service-account.key"),
        tokens: path.join(folder, "tokens.csv"),
        kwokConfiguration: path.join(folder, "kwok.yaml"),
    };
}
