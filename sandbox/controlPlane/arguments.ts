import type { Layout } from "./layout";
import { stoppedLabel } from "./stoppedLabel";

/** The loopback ports of one sandbox. */
export interface Ports {
    etcd: number;
    etcdPeer: number;
    apiServer: number;
    /** KWOK's server, which the API server uses as the kubelet of every node. */
    kubelet: number;
}

/** The address that all programs of a sandbox listen on. */
export const loopback = "127.0.0.1";

/**
 * How long a node's lease lasts, in seconds. KWOK renews leases only if this is set; otherwise nodes become NotReady.
 */
const nodeLeaseSeconds = 40;

/** etcd with one member. It does not call fsync: a sandbox does not survive a power loss anyway. */
export function etcdArguments(layout: Layout, ports: Ports): string[] {
    const client = `http://${loopback}:${ports.etcd}`;
    const peer = `http://${loopback}:${ports.etcdPeer}`;
    return [
        "--name=sandbox",
        `--data-dir=${layout.etcdData}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=sandbox=${peer}`,
        "--unsafe-no-fsync=true",
        "--snapshot-count=10000",
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=5m",
        "--log-level=warn",
    ];
}

/**
 * The API server, with TLS by a certificate that it signs itself, tokens from a file, and RBAC. Priority and fairness
 * is off, because the sandbox has one user.
 */
export function apiServerArguments(layout: Layout, ports: Ports): string[] {
    return [
        `--etcd-servers=http://${loopback}:${ports.etcd}`,
        `--bind-address=${loopback}`,
        `--advertise-address=${loopback}`,
        `--secure-port=${ports.apiServer}`,
        `--cert-dir=${layout.certificates}`,
        `--token-auth-file=${layout.tokens}`,
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${layout.serviceAccountKey}`,
        `--service-account-signing-key-file=${layout.serviceAccountKey}`,
        "--kubelet-preferred-address-types=InternalIP",
        "--allow-privileged=true",
        "--enable-priority-and-fairness=false",
        // Nodes are Ready from the start. This plugin would taint them until a controller notices.
        "--disable-admission-plugins=TaintNodesByCondition",
        "--endpoint-reconciler-type=none",
        "--watch-cache-sizes=",
        "--shutdown-delay-duration=0s",
        "--v=0",
    ];
}

/** Controllers that the sandbox does not need: cloud, certificate signing, autoscaling, attaching of real disks. */
const controllersLeftOut = [
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-cleaner-controller",
    "certificatesigningrequest-signing-controller",
    "cloud-node-lifecycle-controller",
    "device-taint-eviction-controller",
    "ephemeral-volume-controller",
    "horizontal-pod-autoscaler-controller",
    "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "node-ipam-controller",
    "node-route-controller",
    "persistentvolume-attach-detach-controller",
    "persistentvolume-expander-controller",
    "podcertificaterequest-cleaner-controller",
    "podgroup-protection-controller",
    "resourceclaim-controller",
    "resourcepoolstatusrequest-controller",
    "service-cidr-controller",
    "service-lb-controller",
    "storage-version-migrator-controller",
    "storageversion-garbage-collector-controller",
    "ttl-controller",
    "validatingadmissionpolicy-status-controller",
];

/** The controller manager. It has enough workers and request rate to bring up a cluster's pods within seconds. */
export function controllerManagerArguments(layout: Layout): string[] {
    return [
        `--kubeconfig=${layout.kubeconfig}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--allocate-node-cidrs=false",
        "--use-service-account-credentials=false",
        `--service-account-private-key-file=${layout.serviceAccountKey}`,
        `--root-ca-file=${layout.servingCertificate}`,
        `--controllers=${["*", ...controllersLeftOut.map((name) => `-${name}`)].join(",")}`,
        "--concurrent-statefulset-syncs=20",
        "--concurrent-deployment-syncs=20",
        "--concurrent-replicaset-syncs=20",
        "--concurrent-gc-syncs=20",
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
        "--min-resync-period=1h",
        "--pvclaimbinder-sync-period=5s",
        "--v=0",
    ];
}

/** The scheduler. */
export function schedulerArguments(layout: Layout): string[] {
    return [
        `--kubeconfig=${layout.kubeconfig}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
        "--v=0",
    ];
}

/** KWOK, which simulates the nodes and their pods and serves as the kubelet for port-forwards and logs. */
export function kwokArguments(layout: Layout, ports: Ports): string[] {
    return [
        `--kubeconfig=${layout.kubeconfig}`,
        `--config=${layout.kwokConfiguration}`,
        `--manage-nodes-with-label-selector=!${stoppedLabel}`,
        `--node-lease-duration-seconds=${nodeLeaseSeconds}`,
        `--node-ip=${loopback}`,
        `--node-port=${ports.kubelet}`,
        `--server-address=${loopback}:${ports.kubelet}`,
        `--tls-cert-file=${layout.servingCertificate}`,
        `--tls-private-key-file=${layout.servingKey}`,
        "--cidr=10.244.0.0/16",
        "--enable-crds=PortForward,ClusterPortForward,Logs",
    ];
}
