/** An element of a page: its name, its attributes and what is in it. */
export interface HtmlElement {
    readonly name: string;
    readonly attributes: Readonly<Record<string, string>>;
    readonly children: (HtmlElement | string)[];
}

const voidElements = ["meta", "br", "link", "img", "input", "base"];
const rawElements = ["style", "script"];
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/**
 * Reads a page whose every element is closed, as ours are. Stricter than a browser on purpose: a name that is not escaped leaves
 * a tag open, makes an attribute without quotes, or a `<` that begins no tag.
 * @throws Error that quotes the place
 */
export function parseHtml(text: string): HtmlElement {
    const root: HtmlElement = { name: "#page", attributes: {}, children: [] };
    const open = [root];
    let rest = text.replace(/^<!DOCTYPE html>/, "");
    while (rest !== "") {
        const top = open[open.length - 1];
        const tag = /^<(\/?)([a-z0-9]+)((?:[ \n][a-z-]+="[^"<>]*")*)(?:[ \n]\/)?>/.exec(rest);
        const plain = rawElements.includes(top.name)
            ? rest.slice(0, rest.indexOf(`</${top.name}>`))
            : /^[^<>]*/.exec(rest)?.[0];
        if (plain) {
            top.children.push(decoded(plain));
            rest = rest.slice(plain.length);
        } else if (tag === null) {
            throw new Error(`no tag and no text: ${rest.slice(0, 80)}`);
        } else {
            const [whole, slash, name, written] = tag;
            rest = rest.slice(whole.length);
            if (slash) {
                if (open.pop()?.name !== name) {
                    throw new Error(`</${name}> closes another element: ${rest.slice(0, 80)}`);
                }
            } else {
                const pairs = [...written.matchAll(/\s([a-z-]+)="([^"]*)"/g)].map(([, key, value]) => [
                    key,
                    decoded(value),
                ]);
                const element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, children: [] };
                top.children.push(element);
                if (!voidElements.includes(name)) {
                    open.push(element);
                }
            }
        }
    }
    if (open.length !== 1) {
        throw new Error(`not closed: ${open.map(({ name }) => name).join(" ")}`);
    }
    return root;
}

/** All elements of a page. */
export function elementsOf(element: HtmlElement): HtmlElement[] {
    return element.children.flatMap((child) => (typeof child === "string" ? [] : [child, ...elementsOf(child)]));
}

/** The text that a reader sees, with one space between words. */
export function textOf(element: HtmlElement): string {
    const texts = element.children.map((child) => (typeof child === "string" ? child : textOf(child)));
    return texts.join(" ").replace(/\s+/g, " ").trim();
}

const lineElements = ["title", "h1", "h2", "h3", "p", "li", "tr", "summary"];

/** The text that a reader sees, a line for each heading, paragraph, item and row. */
export function linesOf(page: HtmlElement): string {
    const text = (element: HtmlElement): string => {
        const within = element.children.map((child) =>
            typeof child === "string" ? child.replace(/\s+/g, " ") : text(child),
        );
        const line = rawElements.includes(element.name) ? "" : within.join(" ");
        return lineElements.includes(element.name) ? `\n${line.replace(/\s+/g, " ")}\n` : line;
    };
    return text(page)
        .replace(/ *\n\s*/g, "\n")
        .replace(/ +/g, " ")
        .trim();
}

function decoded(text: string): string {
    return text.replace(/&([a-z0-9#]*);?/g, (whole, name: string) => {
        if (entities[name] === undefined) {
            throw new Error(`& that begins no entity: ${whole}`);
        }
        return entities[name];
    });
}
