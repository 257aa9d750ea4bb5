import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { goModulesFolder } from "../../../sandbox/controlPlane/folders";
import {
    cachedFileName,
    checksumFor,
    isAcceptableVersion,
    pinnedVersion,
    programCatalogue,
    releaseOf,
    reportedVersion,
    s3Program,
} from "../../../sandbox/controlPlane/programs/catalogue";

describe("sandbox: the programs and their versions", () => {
    const read = (name: string): string => fs.readFileSync(path.join(goModulesFolder(), name, "go.mod"), "utf8");
    const programs = programCatalogue({ etcd: read("etcd"), kubernetes: read("kubernetes"), kwok: read("kwok") });
    const versionOf = (name: string): string => programs.find((program) => program.name === name)?.version ?? "";

    it("pin Kubernetes 1.36, etcd 3.6 and KWOK 0.8 in the shipped go.mod files", () => {
        assert.match(versionOf("kube-apiserver"), /^1\.36\.\d+$/);
        assert.equal(versionOf("kube-controller-manager"), versionOf("kube-apiserver"));
        assert.equal(versionOf("kube-scheduler"), versionOf("kube-apiserver"));
        assert.match(versionOf("etcd"), /^3\.6\.\d+$/);
        assert.match(versionOf("kwok"), /^0\.8\.\d+$/);
    });

    it("pin versitygw 1.8, the server of S3, which is built wherever it is needed", () => {
        const program = s3Program(read("versitygw"));
        assert.match(program.version, /^1\.8\.\d+$/);
        assert.deepEqual(program.linkerFlags, [`-X main.Version=v${program.version}`]);
        assert.equal(releaseOf(program, "linux", "x64"), undefined);
    });

    it("replace each staging module of Kubernetes with the release of the same patch", () => {
        const [, minor, patch] = versionOf("kube-apiserver").split(".");
        const replaced = [...read("kubernetes").matchAll(/^\t(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];
        assert.ok(replaced.length > 20, `only ${replaced.length} replace lines`);
        for (const [, from, to, version] of replaced) {
            assert.equal(to, from);
            assert.equal(version, `v0.${minor}.${patch}`);
        }
    });

    it("are read from a require line and from a require block", () => {
        assert.equal(pinnedVersion("module m\n\nrequire sigs.k8s.io/kwok v0.8.0\n", "sigs.k8s.io/kwok"), "0.8.0");
        assert.equal(pinnedVersion("require (\n\ta.b/c v1.2.3 // indirect\n)\n", "a.b/c"), "1.2.3");
        assert.throws(() => pinnedVersion("require a.b/cd v1.2.3\n", "a.b/c"), /pins no version of a\.b\/c/);
    });

    it("are read from what each program prints", () => {
        assert.equal(reportedVersion("etcd Version: 3.6.16\nGit SHA: abc\nGo Version: go1.26.8\n"), "3.6.16");
        assert.equal(reportedVersion("Kubernetes v1.36.3\n"), "1.36.3");
        assert.equal(reportedVersion("kwok version v0.8.0 go1.26.8 (linux/amd64)\n"), "0.8.0");
        assert.equal(reportedVersion("flag provided but not defined: -version"), undefined);
    });

    it("may differ in the patch only", () => {
        const etcd = programs[0];
        assert.equal(isAcceptableVersion(etcd, "3.6.1"), true);
        assert.equal(isAcceptableVersion(etcd, "3.4.30"), false);
        assert.equal(isAcceptableVersion(etcd, "3.60.1"), false);
        assert.equal(isAcceptableVersion(etcd, undefined), false);
    });

    it("are kept apart in the cache, also by platform", () => {
        const etcd = { ...programs[0], version: "3.6.1" };
        assert.equal(cachedFileName(etcd, "linux", "x64"), "etcd-3.6.1-linux-amd64");
        assert.equal(cachedFileName(etcd, "darwin", "arm64"), "etcd-3.6.1-darwin-arm64");
    });

    it("have download addresses, but Kubernetes releases its servers for Linux only", () => {
        const scheduler = { ...programs[3], version: "1.36.9" };
        assert.deepEqual(releaseOf(scheduler, "linux", "arm64"), {
            url: "https://dl.k8s.io/release/v1.36.9/bin/linux/arm64/kube-scheduler",
            checksumUrl: "https://dl.k8s.io/release/v1.36.9/bin/linux/arm64/kube-scheduler.sha256",
        });
        assert.equal(releaseOf(scheduler, "darwin", "arm64"), undefined);
    });

    it("have checksums in a list, or as a single sum", () => {
        const one = "a".repeat(64);
        const two = "B".repeat(64);
        assert.equal(checksumFor(`${one}  x.tar.gz\n${two} *y.tar.gz\n`, "y.tar.gz"), two.toLowerCase());
        assert.equal(checksumFor(`${one}\n`, "y.tar.gz"), one);
        assert.equal(checksumFor(`${one}  x.tar.gz\n`, "y.tar.gz"), undefined);
        assert.equal(checksumFor("<html>not found</html>", "y.tar.gz"), undefined);
    });
});
