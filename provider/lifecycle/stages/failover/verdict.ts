import { counted } from "../../vocabulary/counted";
import type { Verdict } from "../../vocabulary/memberFailover";

/** @returns dead once what is seen has lasted long enough, and dying before. Both durations are in milliseconds. */
export function deadAfter(why: string, lasted: number, needed: number): Verdict {
    return lasted >= needed ? { is: "dead", why } : { is: "dying", why, seconds: Math.ceil((needed - lasted) / 1000) };
}

/** @returns what follows from two sources of which both must say that the pod is dead. */
export function bothSay(one: Verdict, other: Verdict): Verdict {
    const verdicts = [one, other];
    const why = verdicts.map((verdict) => verdict.why).join(", and ");
    for (const is of ["alive", "unknown"] as const) {
        if (verdicts.some((verdict) => verdict.is === is)) {
            return { is, why };
        }
    }
    const seconds = Math.max(...verdicts.map((verdict) => (verdict.is === "dying" ? verdict.seconds : 0)));
    return seconds > 0 ? { is: "dying", why, seconds } : { is: "dead", why };
}

/** @returns a time to wait in words: `45 s`, `12 min`. */
export function timeLeft(seconds: number): string {
    return seconds < 120 ? `${seconds} s` : counted(Math.ceil(seconds / 60), "minute");
}
