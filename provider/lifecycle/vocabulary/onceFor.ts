/**
 * The parts of an observation never change, and a change makes only those new that it changes. So what follows from a part is derived once,
 * however many pods and decisions need it.
 *
 * @returns the function, which derives once for each part.
 */
export function onceFor<Part extends object, Derived>(derive: (part: Part) => Derived): (part: Part) => Derived {
    const known = new WeakMap<Part, { readonly derived: Derived }>();
    return (part) => {
        const before = known.get(part);
        if (before !== undefined) {
            return before.derived;
        }
        const derived = derive(part);
        known.set(part, { derived });
        return derived;
    };
}
