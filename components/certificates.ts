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
import type { TidbClusterManifest as PlainManifest } from "./plainManifest";
import type { TidbClusterManifest } from "./spec";

/** A certificate that a cluster with TLS needs, in a Secret with the keys `ca.crt`, `tls.crt` and `tls.key`. */
export interface RequiredCertificate {
    /** Name of the Secret, in the cluster's namespace. */
    secretName: string;
    commonName: string;
    /** DNS names that it must cover. Empty for a certificate that only clients use. */
    dnsNames: string[];
    /** IP addresses that it must cover: the pod's loopback addresses, which probes and the members' tools use. */
    ipAddresses: string[];
    /** Key usages that it needs, with cert-manager's names. */
    usages: ("server auth" | "client auth")[];
}

/**
 * Returns the certificates that a cluster needs for `spec.tlsCluster` and `spec.tidb.tlsClient`: one Secret per member and
 * one for clients, with the names that the pods mount. All certificates for one of the two settings must have the same
 * CA. The DNS names are those of tidb-operator's documentation.
 *
 * @param plain name, namespace (default: `default`) and spec of the cluster
 * @returns the certificates; none if the spec does not enable TLS
 */
export function requiredCertificates(plain: PlainManifest): RequiredCertificate[] {
    const manifest = plain as TidbClusterManifest;
    const { name } = manifest.metadata;
    const namesOf = (component: Workload) => {
        const peers = peerServiceName(name, component);
        return [memberName(name, component), peers, `*.${peers}`].flatMap((service) => serviceNames(manifest, service));
    };
    const required: RequiredCertificate[] = [];
    if (hasClusterTls(manifest)) {
        const components = membersOf(manifest.spec).map(({ component }) => component);
        // The microservices of PD share PD's certificate (tidb-operator pkg/manager/member/pd_ms_member_manager.go).
        const served: Workload[] = components.filter((component) => topology[component].partOf === undefined);
        for (const component of hasDiscoveryTls(manifest) ? [...served, "discovery" as const] : served) {
            const sharing = components.filter((one) => topology[one].partOf === component);
            const dnsNames = [component, ...sharing].flatMap(namesOf);
            required.push(serverCertificate(memberSecretName(name, component), memberName(name, component), dnsNames));
        }
        required.push(clientCertificate(clientSecretName(name), `${name}-cluster-client`));
    }
    if (hasSqlTls(manifest)) {
        const { pd, tiproxy } = manifest.spec;
        // TiProxy presents TiDB's certificate to SQL clients.
        const dnsNames = [...namesOf("tidb"), ...(tiproxy ? namesOf("tiproxy") : [])];
        required.push(serverCertificate(sqlServerSecretName(name), `${name}-tidb-server`, dnsNames));
        const clients = [pd, tiproxy].map((member) => sqlClientSecret(manifest, member?.tlsClientSecretName));
        required.push(...[...new Set(clients)].map((secret) => clientCertificate(secret, `${name}-tidb-client`)));
    }
    return required;
}

function serviceNames(manifest: TidbClusterManifest, service: string): string[] {
    const namespace = namespaceOf(manifest);
    const domain = manifest.spec.clusterDomain;
    const full = `${service}.${namespace}.svc`;
    return [service, `${service}.${namespace}`, full, ...(domain ? [`${full}.${domain}`] : [])];
}

function serverCertificate(secretName: string, commonName: string, dnsNames: string[]): RequiredCertificate {
    const ipAddresses = ["127.0.0.1", "::1"];
    return { secretName, commonName, dnsNames, ipAddresses, usages: ["server auth", "client auth"] };
}

function clientCertificate(secretName: string, commonName: string): RequiredCertificate {
    return { secretName, commonName, dnsNames: [], ipAddresses: [], usages: ["client auth"] };
}
