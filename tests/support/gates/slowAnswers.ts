import { mock } from "node:test";

/** Has the tests of a suite tell timers how time goes on, as `passSeconds` does. */
export function mockTimers(): void {
    beforeEach(() => mock.timers.enable({ apis: ["setInterval"] }));
    afterEach(() => mock.timers.reset());
}

/** Lets time pass while a call is not answered. @param advance moves the run's clock on, by milliseconds. */
export function passSeconds(seconds: number, advance: (milliseconds: number) => void): void {
    for (let second = 0; second < seconds; second++) {
        advance(1_000);
        mock.timers.tick(1_000);
    }
}

/** The line without the time at which the wait fails: that depends on the time zone. */
export function withoutTime(line: string): string {
    return line.replace(/; fails at [\d:]{8}\)$/, "; fails at …)");
}
