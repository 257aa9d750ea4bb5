import { components, type Component } from "../topology/members";
import type { RenderedMember } from "./kubernetes/member";
import type { MemberSpec } from "./kubernetes/memberDescription";
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
import { writesBinlog } from "./tidb/binlog";
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
    /** What of its spec decides which resources exist, so that it is known when the program runs: dotted paths in it. */
    readonly plain: readonly string[];
    /** What of its spec is a configuration, besides `config`: dotted paths in it. */
    readonly configs: readonly string[];
    /** @returns whether the member that uses it (`usedBy` in `topology/members.ts`) is told not to. Default: it is not. */
    isUnused?(spec: TidbClusterSpec): boolean;
    /** Renders it. The cluster has it. */
    render(manifest: TidbClusterManifest): RenderedMember;
    /** Checks what is said about it. The cluster has it. */
    problems(spec: TidbClusterSpec): SpecProblem[];
}

/** A field of the spec that holds the spec of one member. */
type MemberField = Extract<Component, keyof TidbClusterSpec>;

/** Every member, by its component. The order of a rollout is that of `components` in `topology/members.ts`. */
export const members: Readonly<Record<Component, Member>> = {
    tso: ofMicroservice("tso", "PdTso"),
    scheduling: ofMicroservice("scheduling", "PdScheduling"),
    pd: ofField("pd", "Pd", "pingcap/pd", pdManifests, pdProblems, { plain: ["mode"] }),
    tiproxy: ofField("tiproxy", "Tiproxy", "pingcap/tiproxy", tiproxyManifests, tiproxyProblems),
    tiflash: ofField("tiflash", "Tiflash", "pingcap/tiflash", tiflashManifests, tiflashProblems, {
        plain: ["storageClaims"],
        configs: ["config.proxy"],
    }),
    tikv: ofField("tikv", "Tikv", "pingcap/tikv", tikvManifests, tikvProblems),
    pump: ofField("pump", "Pump", "pingcap/tidb-binlog", pumpManifests, pumpProblems, {
        isUnused: (spec) => spec.tidb !== undefined && !writesBinlog(spec, spec.tidb),
    }),
    tidb: ofField("tidb", "Tidb", "pingcap/tidb", tidbManifests, tidbProblems, {
        plain: ["service", "initializer", "initializer.createPassword"],
    }),
    ticdc: ofField("ticdc", "Ticdc", "pingcap/ticdc", ticdcManifests, ticdcProblems, { plain: ["config"] }),
};

/** @returns the members that a cluster has, in the order of a rollout. */
export function membersOf(spec: TidbClusterSpec): Member[] {
    return components.map((component) => members[component]).filter((member) => member.specOf(spec) !== undefined);
}

function ofField<Field extends MemberField>(
    field: Field,
    type: string,
    baseImage: string,
    render: (manifest: TidbClusterManifest) => RenderedMember,
    problems: (own: NonNullable<TidbClusterSpec[Field]>, spec: TidbClusterSpec) => SpecProblem[],
    { plain = [], configs = [], isUnused }: Partial<Pick<Member, "plain" | "configs" | "isUnused">> = {},
): Member {
    return {
        component: field,
        type,
        baseImage,
        specOf: (spec) => spec[field],
        withSpec: (spec, own) => ({ ...spec, [field]: own }),
        pathIn: () => `spec.${field}`,
        plain,
        configs,
        isUnused,
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
        plain: [],
        configs: [],
        render: (manifest) => pdMicroserviceManifests(manifest, name),
        // The list is checked as a whole.
        problems: () => [],
    };
}
