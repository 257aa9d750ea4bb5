import * as assert from "node:assert/strict";
import { parse } from "yaml";
import { codeBlocks, pages } from "../contract/docs/pages";

/** A Role or ClusterRole, as far as the documentation has its fields. */
export interface DocumentedRole {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly rules: readonly {
        readonly apiGroups: string[];
        readonly resources: string[];
        readonly resourceNames?: string[];
        readonly verbs: string[];
    }[];
}

/** @returns the Role of this name that the documentation shows, on whichever page. */
export function documentedRole(name: string, kind = "Role"): DocumentedRole {
    const roles = pages()
        .flatMap(codeBlocks)
        .filter(({ language, code }) => language === "yaml" && new RegExp(`^kind: ${kind}$`, "m").test(code))
        .map(({ code }) => parse(code) as DocumentedRole)
        .filter(({ metadata }) => metadata.name === name);
    assert.equal(roles.length, 1, `one ${kind} named ${name} is documented`);
    return roles[0];
}
