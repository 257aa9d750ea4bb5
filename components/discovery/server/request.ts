import type { StartRequest } from "./model";

/** A parsed request, or why it is refused. */
export type DiscoveryRequest =
    | { readonly kind: "health" }
    | { readonly kind: "new"; readonly request: StartRequest }
    | { readonly kind: "verify"; readonly url: string }
    | { readonly kind: "refused"; readonly status: 400 | 404 | 405; readonly message: string };

/**
 * Parses a request of tidb-operator's discovery protocol (tidb-operator pkg/discovery/server): `GET /new/<base64 of
 * host:2380>`, optionally with `/pd` at the end, and `GET /verify/<base64 of a PD address>`. Also parses `GET /healthz`.
 */
export function readRequest(method: string, path: string, clusterName: string, namespace: string): DiscoveryRequest {
    const [, call, encoded, type, ...more] = path.split("?")[0].split("/");
    const known = (call === "new" || call === "verify") && encoded !== undefined && more.length === 0;
    if (path !== "/healthz" && !known) {
        return refuse(
            404,
            "unknown path: expected /new/<base64 of host:2380>, /verify/<base64 of an address> or /healthz",
        );
    }
    if (method !== "GET") {
        return refuse(405, `method ${method}: expected GET`);
    }
    if (path === "/healthz") {
        return { kind: "health" };
    }
    if (type !== undefined && type !== "pd") {
        return refuse(400, `member type ${JSON.stringify(type)}: this discovery serves pd only`);
    }
    const text = decodeBase64(encoded);
    if (text === undefined) {
        return refuse(400, `${JSON.stringify(encoded)} is not the base64 of a host name or address`);
    }
    return call === "new" ? readStartRequest(text, clusterName, namespace) : readVerify(text, clusterName);
}

function refuse(status: 400 | 404 | 405, message: string): DiscoveryRequest {
    return { kind: "refused", status, message };
}

/** @returns the text that a start script encoded, without the newline that `echo` adds; undefined if it is not valid. */
function decodeBase64(encoded: string): string | undefined {
    let plain = encoded;
    try {
        plain = decodeURIComponent(encoded);
    } catch {
        return undefined;
    }
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain) || plain.length % 4 !== 0) {
        return undefined;
    }
    const text = Buffer.from(plain, "base64").toString("latin1").trim();
    return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** `<tc>-pd-<ordinal>.<tc>-pd-peer.<namespace>.svc[.<domain>]:2380` */
function readStartRequest(text: string, clusterName: string, namespace: string): DiscoveryRequest {
    const example = `${clusterName}-pd-0.${clusterName}-pd-peer.${namespace}.svc:2380`;
    const [host, port, ...more] = text.split(":");
    const labels = host.split(".");
    const isLabel = (label: string) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label);
    if (labels.length < 4 || labels[3] !== "svc" || !labels.every(isLabel) || port !== "2380" || more.length > 0) {
        return refuse(400, `${JSON.stringify(text)} is not the address of a PD member: expected one like ${example}`);
    }
    if (labels[2] !== namespace) {
        return refuse(400, `${host} is in namespace ${labels[2]}: this discovery serves ${namespace}`);
    }
    if (labels[1] !== `${clusterName}-pd-peer`) {
        return refuse(400, `${host} is behind service ${labels[1]}: this discovery serves ${clusterName}-pd-peer`);
    }
    const prefix = `${clusterName}-pd-`;
    const ordinal = labels[0].startsWith(prefix) ? labels[0].slice(prefix.length) : "";
    if (!/^(0|[1-9][0-9]{0,8})$/.test(ordinal)) {
        return refuse(400, `${labels[0]} is not a PD pod of ${clusterName}: expected one like ${clusterName}-pd-0`);
    }
    return { kind: "new", request: { member: labels[0], ordinal: Number(ordinal), host } };
}

function readVerify(text: string, clusterName: string): DiscoveryRequest {
    const host = text.match(/^(?:https?:\/\/)?([a-z0-9][-.a-z0-9]*)(?::[0-9]{1,5})?$/)?.[1];
    if (host === undefined) {
        return refuse(400, `${JSON.stringify(text)} is not an address of PD: expected one like ${clusterName}-pd:2379`);
    }
    if (host.split(".")[0] !== `${clusterName}-pd`) {
        return refuse(400, `${host} is not PD of this cluster: expected ${clusterName}-pd`);
    }
    return { kind: "verify", url: text };
}
