import * as ts from "typescript";

/** A module of a bundle: a variable that has a function which runs the module once. */
interface Module {
    readonly name: string;
    /** What the variable is set to. */
    readonly value: ts.CallExpression;
    /** The runs of the modules that it imports, at its beginning. */
    readonly imports: readonly ts.CallExpression[];
    /** Whether it does nothing but run others. */
    readonly isEmpty: boolean;
}

/**
 * Leaves out runs of modules that change nothing. A module of a bundle first runs each module that it imports, also those that
 * another import runs as well, and those that have nothing to do.
 * @param code what esbuild made of modules whose imports make no circle.
 * @returns code of the same length, so its source map stays right.
 * @throws if a module's name has another meaning somewhere.
 */
export function withoutIdleRuns(code: string): string {
    const file = ts.createSourceFile("bundle.js", code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
    const modules = modulesOf(file);
    refuseSecondMeanings(file, modules);
    const needs = neededBy(modules);
    const idle = new Set([
        ...callsIn(file).filter((call) => needs(calleeOf(call))?.size === 0),
        ...[...modules.values()].flatMap(({ imports }) => repeatedRuns(imports, needs)),
    ]);
    const called = new Set(
        callsIn(file)
            .filter((call) => !idle.has(call))
            .map(calleeOf),
    );
    const unused = [...modules.values()].filter(({ name }) => !called.has(name)).map(({ value }) => value);
    // A run that is within a module that goes is replaced first.
    return [...idle, ...unused].reduce((text, node) => {
        const [from, to] = [node.getStart(), node.getEnd()];
        return `${text.slice(0, from)}${"0".padEnd(to - from)}${text.slice(to)}`;
    }, code);
}

type Needs = (module: string) => ReadonlySet<string> | undefined;

/** @returns for each module those with something to do that its run runs, itself among them. */
function neededBy(modules: ReadonlyMap<string, Module>): Needs {
    const known = new Map<string, ReadonlySet<string>>();
    const needs: Needs = (name) => {
        const module = modules.get(name);
        if (module === undefined || known.has(name)) {
            return known.get(name);
        }
        const others = module.imports.flatMap((run) => [...(needs(calleeOf(run)) ?? [])]);
        known.set(name, new Set(module.isEmpty ? others : [name, ...others]));
        return known.get(name);
    };
    return needs;
}

/** @returns the runs that others of them make needless. */
function repeatedRuns(runs: readonly ts.CallExpression[], needs: Needs): ts.CallExpression[] {
    const kept = new Set(runs);
    for (const run of runs) {
        const others = [...kept].filter((other) => other !== run).map((other) => needs(calleeOf(other)));
        if ([...(needs(calleeOf(run)) ?? [])].every((one) => others.some((other) => other?.has(one)))) {
            kept.delete(run);
        }
    }
    return runs.filter((run) => !kept.has(run));
}

function modulesOf(file: ts.SourceFile): ReadonlyMap<string, Module> {
    const declared = file.statements
        .filter(ts.isVariableStatement)
        .flatMap(({ declarationList }) => declarationList.declarations.flatMap(declaredModule));
    const names = new Set(declared.map(({ name }) => name));
    return new Map(
        declared.map(({ name, value, statements }) => {
            const runs = statements.map((statement) => runsOf(statement, names));
            const end = runs.indexOf(undefined);
            const imports = runs.slice(0, end === -1 ? undefined : end).flatMap((found) => found ?? []);
            return [name, { name, value, imports, isEmpty: end === -1 }];
        }),
    );
}

/** `var name = helper(() => { … })`, which is how esbuild writes a module. */
function declaredModule({ name, initializer: value }: ts.VariableDeclaration) {
    if (!ts.isIdentifier(name) || value === undefined || !ts.isCallExpression(value) || value.arguments.length !== 1) {
        return [];
    }
    const [run] = value.arguments;
    return ts.isArrowFunction(run) && run.parameters.length === 0 && ts.isBlock(run.body)
        ? [{ name: name.text, value, statements: run.body.statements }]
        : [];
}

/** A call could then be one of something else. */
function refuseSecondMeanings(file: ts.SourceFile, modules: ReadonlyMap<string, Module>): void {
    const visit = (node: ts.Node): void => {
        const name = isDeclared(node) && node.name && ts.isIdentifier(node.name) ? node.name.text : "";
        const module = modules.get(name);
        if (module !== undefined && module.value.parent !== node) {
            throw new Error(`bundle: found a second declaration of ${name}, expected one: ${node.getText()}`);
        }
        ts.forEachChild(node, visit);
    };
    visit(file);
}

function isDeclared(node: ts.Node) {
    return (
        ts.isVariableDeclaration(node) ||
        ts.isParameter(node) ||
        ts.isBindingElement(node) ||
        ts.isFunctionDeclaration(node) ||
        ts.isFunctionExpression(node) ||
        ts.isClassLike(node)
    );
}

/** The runs of other modules that a statement consists of; nothing, if it does something else. */
function runsOf(statement: ts.Statement, modules: ReadonlySet<string>): readonly ts.CallExpression[] | undefined {
    const parts = ts.isExpressionStatement(statement) ? partsOf(statement.expression) : [];
    const runs = parts.filter(ts.isCallExpression).filter((call) => modules.has(calleeOf(call)));
    return runs.length > 0 && runs.length === parts.length ? runs : undefined;
}

function partsOf(expression: ts.Expression): ts.Expression[] {
    return ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.CommaToken
        ? [...partsOf(expression.left), ...partsOf(expression.right)]
        : [expression];
}

function callsIn(node: ts.Node): ts.CallExpression[] {
    const calls: ts.CallExpression[] = [];
    const visit = (one: ts.Node): void => {
        if (ts.isCallExpression(one)) {
            calls.push(one);
        }
        ts.forEachChild(one, visit);
    };
    visit(node);
    return calls;
}

function calleeOf({ expression, arguments: given }: ts.CallExpression): string {
    return given.length === 0 && ts.isIdentifier(expression) ? expression.text : "";
}
