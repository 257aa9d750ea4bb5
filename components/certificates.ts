import { topology } from "../topology/members";
import {
    clientSecretName,
    memberName,
    memberSecretName,
    peerServiceName,
    sqlServerSecretName,
    type Workload,
} from "../topology/names";
import { namespaceOf } from "./kubernetes/metadata";
import { sqlClientSecret } from "./kubernetes/sqlClients";
import { hasClusterTls, hasDiscoveryTls, hasSqlTls } from "./kubernetes/tls";
import { membersOf } from "./members";
import type { TidbClusterManifest } from "./spec";

/** A certificate that a cluster with TLS needs, in a Secret with the keys `ca.crt`, `tls.crt` and `tls.key`. */
export interface RequiredCertificate {
    /** Name of the Secret, in the cluster's namespace. */
    secretName: string;
    commonName: string;
    /** DNS names that it must cover; none where only clients show it. */
    dnsNames: string[];
    /** Addresses that it must cover: those of the pod itself, which probes and the members' own tools use. */
    ipAddresses: string[];
    /** What it must be allowed for, in the words of cert-manager. */
    usages: ("server auth" | "client auth")[];
}

/**
 * The certificates that a cluster needs, for `spec.tlsCluster` and `spec.tidb.tlsClient`: one Secret a member, one for
 * clients, by the names that pods mount them by. All of one switch must be of one authority. Names of Services and pods
 * are those of tidb-operator's documentation.
 *
 * @param manifest name, namespace (default: `default`) and spec of the cluster
 * @returns none where the spec asks for no TLS
 */
export function requiredCertificates(manifest: TidbClusterManifest): RequiredCertificate[] {
    const { name } = manifest.metadata;
    const namesOf = (component: Workload) => {
        const peers = peerServiceName(name, component);
        return [memberName(name, component), peers, `*.${peers}`].flatMap((service) => serviceNames(manifest, service));
    };
    const required: RequiredCertificate[] = [];
    if (hasClusterTls(manifest)) {
        const components = membersOf(manifest.spec).map(({ component }) => component);
        // A part of PD has PD's certificate (tidb-operator pkg/manager/member/pd_ms_member_manager.go).
        const served: Workload[] = components.filter((component) => topology[component].partOf === undefined);
        for (const component of hasDiscoveryTls(manifest) ? [...served, "discovery" as const] : served) {
            const sharing = components.filter((one) => topology[one].partOf === component);
            const dnsNames = [component, ...sharing].flatMap(namesOf);
            required.push(ofServer(memberSecretName(name, component), memberName(name, component), dnsNames));
        }
        required.push(ofClient(clientSecretName(name), `${name}-cluster-client`));
    }
    if (hasSqlTls(manifest)) {
        const { pd, tiproxy } = manifest.spec;
        // TiProxy shows SQL clients the certificate of TiDB.
        const dnsNames = [...namesOf("tidb"), ...(tiproxy ? namesOf("tiproxy") : [])];
        required.push(ofServer(sqlServerSecretName(name), `${name}-tidb-server`, dnsNames));
        const clients = [pd, tiproxy].map((member) => sqlClientSecret(manifest, member?.tlsClientSecretName));
        required.push(...[...new Set(clients)].map((secret) => ofClient(secret, `${name}-tidb-client`)));
    }
    return required;
}

function serviceNames(manifest: TidbClusterManifest, service: string): string[] {
    const namespace = namespaceOf(manifest);
    const domain = manifest.spec.clusterDomain;
    const full = `${service}.${namespace}.svc`;
    return [service, `${service}.${namespace}`, full, ...(domain ? [`${full}.${domain}`] : [])];
}

function ofServer(secretName: string, commonName: string, dnsNames: string[]): RequiredCertificate {
    const ipAddresses = ["127.0.0.1", "::1"];
    return { secretName, commonName, dnsNames, ipAddresses, usages: ["server auth", "client auth"] };
}

function ofClient(secretName: string, commonName: string): RequiredCertificate {
    return { secretName, commonName, dnsNames: [], ipAddresses: [], usages: ["client auth"] };
}
