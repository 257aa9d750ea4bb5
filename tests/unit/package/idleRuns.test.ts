import * as assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { withoutIdleRuns } from "../../../scripts/package/idleRuns";

/** As esbuild writes modules. */
const helper = "var once=(f,r)=>()=>(f&&(r=f(f=0)),r);";

/** The code without what a minifier takes out. */
function said(code: string): string {
    return withoutIdleRuns(`${helper}${code}`).slice(helper.length).replaceAll(/ +/g, " ");
}

describe("the runs of a bundle's modules", () => {
    it("are left out where another import runs the same module", () => {
        const code =
            "var a=once(()=>{log('a')});var b=once(()=>{a();log('b')});var c=once(()=>{a(),b();log('c')});c();";
        assert.equal(
            said(code),
            "var a=once(()=>{log('a')});var b=once(()=>{a();log('b')});var c=once(()=>{0 ,b();log('c')});c();",
        );
    });

    it("are left out where the module has nothing to do, wherever it is called, and so is the module", () => {
        const code = "var a=once(()=>{});var b=once(()=>{a()});var c=once(()=>{b();log('c')});x=()=>(a(),c());";
        assert.match(said(code), /^var a=0 +;var b=0 +;var c=once\(\(\)=>\{0 +;log\('c'\)\}\);x=\(\)=>\(0 +,c\(\)\);$/);
    });

    it("stay where a module that has nothing to do itself runs others", () => {
        const code = "var a=once(()=>{log('a')});var b=once(()=>{a()});var c=once(()=>{b();log('c')});c();";
        assert.equal(said(code), code);
    });

    it("stay after something else, or within a function, as nothing shows when that runs", () => {
        const code = "var a=once(()=>{log('a')});var b=once(()=>{a()});var c=once(()=>{log('c');f=()=>{a();b()}});c();";
        assert.equal(said(code), code);
    });

    it("run the same modules as before, each after what it imports", () => {
        const code =
            "var a=once(()=>{log('a')});var e=once(()=>{});var b=once(()=>{e(),a();log('b')});" +
            "var d=once(()=>{a(),e()});var c=once(()=>{a();b();d();log('c')});c();";
        const run = (text: string): string[] => {
            const seen: string[] = [];
            runInNewContext(text, { log: (name: string) => seen.push(name) });
            return seen;
        };
        assert.deepEqual(run(withoutIdleRuns(`${helper}${code}`)), ["a", "b", "c"]);
        assert.deepEqual(run(`${helper}${code}`), ["a", "b", "c"]);
    });

    it("keep the length of the code, because its source map counts columns", () => {
        const code = `${helper}var module=once(()=>{});var other=once(()=>{module()});other();`;
        assert.equal(withoutIdleRuns(code).length, code.length);
    });

    it("are not touched where a name has two meanings", () => {
        const code = `${helper}var a=once(()=>{});var f=(a)=>a();`;
        assert.throws(() => withoutIdleRuns(code), /found a second declaration of a, expected one: a/);
    });
});
