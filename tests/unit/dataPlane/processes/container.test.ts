import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerState } from "../../../../sandbox/dataPlane/containers/podStatus";
import { runContainer, type StartedProcess } from "../../../../sandbox/dataPlane/processes/container";

/** A process that ends by SIGKILL, or when it is told to; and by SIGTERM unless it is deaf. */
function fakeProcess(isDeaf = false) {
    const signals: NodeJS.Signals[] = [];
    const commands: string[] = [];
    let end = (_code: number): void => undefined;
    const ended = new Promise<number>((resolve) => (end = resolve));
    const process: StartedProcess = {
        processId: 1,
        ended,
        tail: () => "its last line",
        exec: (command) => {
            commands.push(command.join(" "));
            return command[0] === "hang" ? ended.then(() => false) : Promise.resolve(command[0] !== "fail");
        },
        signal: (name) => {
            signals.push(name);
            if (name === "SIGKILL" || !isDeaf) {
                end(name === "SIGKILL" ? 137 : 143);
            }
        },
    };
    return { process, signals, commands, end };
}

type Fake = ReturnType<typeof fakeProcess>;

function run(spec: Partial<k8s.V1Container>, starts: (Fake | Error)[]) {
    const states: ContainerState[] = [];
    const lines: string[] = [];
    const container = runContainer(
        { name: "tikv", ...spec },
        {
            start: () => {
                const next = starts.shift();
                return next instanceof Error ? Promise.reject(next) : Promise.resolve(next?.process);
            },
            address: "127.0.0.1",
            restarts: 0,
            graceMilliseconds: 100,
            report: (state) => Promise.resolve(void states.push(state)),
            log: (line) => void lines.push(line),
        },
    );
    return { container, states, lines };
}

const tick = () => sleep(20);
const exec = (...command: string[]) => ({ exec: { command } });

describe("a container of a pod that runs as processes", () => {
    it("is not Ready from the moment when its process has ended", async () => {
        const [first, second] = [fakeProcess(), fakeProcess()];
        const { container, states } = run({}, [first, second]);
        await tick();
        first.end(1);
        await tick();
        assert.deepEqual(
            states.map((state) => `${state.is} ${state.restarts}`),
            ["running 0", "running 0", "waiting 0", "running 1", "running 1"],
        );
        await container.stop(0);
    });

    it("is started again after it could not be, and says why meanwhile", async () => {
        const { container, states } = run({}, [new Error("the API server is away"), fakeProcess()]);
        await tick();
        const [{ is, ...waiting }] = states;
        assert.deepEqual(
            [is, waiting],
            ["waiting", { reason: "RunContainerError", message: "the API server is away", restarts: 0 }],
        );
        assert.equal(states.length, 1, "it is tried again after its back-off");
        await container.stop(0);
        await container.over;
    });

    it("runs its preStop hook, gets SIGTERM, and SIGKILL after its grace period", async () => {
        const deaf = fakeProcess(true);
        const { container } = run({ lifecycle: { preStop: exec("hook") } }, [deaf]);
        await tick();
        const began = Date.now();
        await container.stop(0);
        assert.deepEqual([deaf.commands, deaf.signals], [["hook"], ["SIGTERM", "SIGKILL"]]);
        assert.ok(Date.now() - began >= 1_900, "kubelet gives at least 2 s");
    });

    it("has a hook that hangs until its grace period is over, not longer", async () => {
        const one = fakeProcess();
        const { container } = run({ lifecycle: { preStop: exec("hang") } }, [one]);
        await tick();
        const began = Date.now();
        await container.stop(0);
        assert.equal(one.signals[0], "SIGKILL");
        assert.ok(Date.now() - began < 3_000);
    });

    it("has a shorter grace period if it is asked to stop again, and not a longer one", async () => {
        const deaf = fakeProcess(true);
        const { container } = run({}, [deaf]);
        await tick();
        const began = Date.now();
        const stopped = container.stop(60_000);
        await Promise.all([stopped, container.stop(0), container.stop(60_000)]);
        assert.ok(Date.now() - began < 3_000);
    });

    it("runs its preStop hook when its liveness probe fails, too", async () => {
        const one = fakeProcess();
        const livenessProbe = { ...exec("fail"), failureThreshold: 1 };
        const { container, lines } = run({ livenessProbe, lifecycle: { preStop: exec("hook") } }, [one]);
        await tick();
        assert.deepEqual([one.commands, one.signals], [["fail", "hook"], ["SIGTERM"]]);
        assert.match(lines.join(), /failed its liveness probe/);
        await container.stop(0);
    });

    it("is started again if its postStart hook fails, and has not run until it succeeds", async () => {
        const [first, second] = [fakeProcess(), fakeProcess()];
        const { container, states, lines } = run({ lifecycle: { postStart: exec("fail") } }, [first, second]);
        await tick();
        assert.deepEqual([first.signals, second.signals], [["SIGTERM"], ["SIGTERM"]]);
        assert.ok(states.every(({ is }) => is === "waiting"));
        assert.match(lines.join(), /the postStart hook of container tikv failed/);
        await container.stop(0);
    });

    it("ends the process that starts while it is stopped", async () => {
        const one = fakeProcess();
        const { container } = run({}, [one]);
        await container.stop(0);
        await container.over;
        assert.deepEqual(one.signals, ["SIGTERM"]);
    });
});
