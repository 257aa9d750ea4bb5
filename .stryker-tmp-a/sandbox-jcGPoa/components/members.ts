import type { Component } from "../provider/lifecycle/observation";
import type { MemberManifests, MemberSpec } from "./kubernetes/member";
import { pdManifests } from "./pd/manifests";
import { pdProblems } from "./pd/rules";
import { pdMicroserviceManifests } from "./pdms/manifests";
import { microserviceOf, microservicePath } from "./pdms/microservices";
import type { PdMicroserviceName } from "./pdms/spec";
import type { SpecProblem } from "./problem";
import { pumpManifests } from "./pump/manifests";
import { pumpProblems } from "./pump/rules";
import type { TidbClusterManifest, TidbClusterSpec } from "./spec";
import { ticdcManifests } from "./ticdc/manifests";
import { ticdcProblems } from "./ticdc/rules";
import { tidbManifests } from "./tidb/manifests";
import { tidbProblems } from "./tidb/rules";
import { tiflashManifests } from "./tiflash/manifests";
import { tiflashProblems } from "./tiflash/rules";
import { tikvManifests } from "./tikv/manifests";
import { tikvProblems } from "./tikv/rules";
import { tiproxyManifests } from "./tiproxy/manifests";
import { tiproxyProblems } from "./tiproxy/rules";

/** A member that runs as a StatefulSet: where the spec asks for it, and what becomes of that. */
export interface Member {
    /** Its name in labels and in the names of objects. */
    readonly component: Component;
    /** Class name of its resource, which is part of its URN: it never changes. */
    readonly type: string;
    /** Its image without tag, where its spec names none. */
    readonly baseImage: string;
    /** @returns what the user says about it; `undefined` where the cluster has none. */
    specOf(spec: TidbClusterSpec): MemberSpec | undefined;
    /** @returns `spec` with this said about the member instead. */
    withSpec(spec: TidbClusterSpec, own: MemberSpec): TidbClusterSpec;
    /** @returns the path of that in a manifest, for messages: `spec.tikv`. */
    pathIn(spec: TidbClusterSpec): string;
    /** Renders it. The cluster has it. */
    render(manifest: TidbClusterManifest): MemberManifests;
    /** Checks what is said about it. The cluster has it. */
    problems(spec: TidbClusterSpec): SpecProblem[];
}

/** A field of the spec that holds the spec of one member. */
type MemberField = Extract<Component, keyof TidbClusterSpec>;

/** All members, in the order in which they are rolled out (tidb-operator pkg/controller/tidbcluster/tidb_cluster_control.go). */
export const members: readonly Member[] = [
    ofMicroservice("tso", "PdTso"),
    ofMicroservice("scheduling", "PdScheduling"),
    ofField("pd", "Pd", "pingcap/pd", pdManifests, pdProblems),
    ofField("tiproxy", "Tiproxy", "pingcap/tiproxy", tiproxyManifests, tiproxyProblems),
    ofField("tiflash", "Tiflash", "pingcap/tiflash", tiflashManifests, tiflashProblems),
    ofField("tikv", "Tikv", "pingcap/tikv", tikvManifests, tikvProblems),
    ofField("pump", "Pump", "pingcap/tidb-binlog", pumpManifests, pumpProblems),
    ofField("tidb", "Tidb", "pingcap/tidb", tidbManifests, tidbProblems),
    ofField("ticdc", "Ticdc", "pingcap/ticdc", ticdcManifests, ticdcProblems),
];

/** @returns the members that a cluster has, in the same order. */
export function membersOf(spec: TidbClusterSpec): Member[] {
    return members.filter((member) => member.specOf(spec) !== undefined);
}

function ofField<Field extends MemberField>(
    field: Field,
    type: string,
    baseImage: string,
    render: (manifest: TidbClusterManifest) => MemberManifests,
    problems: (own: NonNullable<TidbClusterSpec[Field]>, spec: TidbClusterSpec) => SpecProblem[],
): Member {
    return {
        component: field,
        type,
        baseImage,
        specOf: (spec) => spec[field],
        withSpec: (spec, own) => ({ ...spec, [field]: own }),
        pathIn: () => `spec.${field}`,
        render,
        problems: (spec) => {
            const own = spec[field];
            return own === undefined ? [] : problems(own, spec);
        },
    };
}

/** One of the list `spec.pdms`. */
function ofMicroservice(name: PdMicroserviceName, type: string): Member {
    return {
        component: name,
        type,
        baseImage: "pingcap/pd",
        specOf: (spec) => microserviceOf(spec, name),
        withSpec: (spec, own) => ({
            ...spec,
            pdms: spec.pdms?.map((service) => (service.name === name ? { ...service, ...own } : service)),
        }),
        pathIn: (spec) => microservicePath(spec, name),
        render: (manifest) => pdMicroserviceManifests(manifest, name),
        // The list is checked as a whole.
        problems: () => [],
    };
}
