import { dirname } from "node:path";
import * as ts from "typescript";

/** A statement, or one of the names that an import or an export lists. */
type Part = ts.Statement | ts.ImportSpecifier | ts.ExportSpecifier;

type IsOwn = (file: ts.SourceFile) => boolean;

/**
 * Returns what users need of the declaration files of a package: by file, the text without the declarations and imports that
 * nothing needs. A file of which nothing is needed is not among them.
 * @param entries the files from which users import. All of each is needed.
 * @throws if an import leads nowhere.
 */
export function neededTypes(entries: readonly string[]): Map<string, string> {
    const program = ts.createProgram([...entries], { module: ts.ModuleKind.CommonJS, types: [] });
    const folders = entries.map(dirname);
    const isOwn: IsOwn = ({ fileName }) =>
        !fileName.includes("/node_modules/") && folders.some((folder) => fileName.startsWith(folder));
    const files = program.getSourceFiles().filter(isOwn);
    files.forEach((file) => refuseBrokenImports(file, program));
    const first = files.filter(({ fileName }) => entries.includes(fileName)).flatMap(({ statements }) => statements);
    const checker = program.getTypeChecker();
    const needed = neededParts(first.flatMap(partsOf), checker, isOwn);
    const kept = files.filter(({ statements }) => statements.some((statement) => needed.has(statement)));
    kept.forEach((file) => refuseLostImports(file, kept, needed, checker));
    return new Map(kept.map((file) => [file.fileName, textOf(file, needed)]));
}

/** What is passed on by `export *` has no name there that could be followed. */
function refuseLostImports(
    { fileName, statements, typeReferenceDirectives }: ts.SourceFile,
    kept: readonly ts.SourceFile[],
    needed: ReadonlySet<ts.Node>,
    checker: ts.TypeChecker,
): void {
    const from = statements
        .filter((one) => ts.isImportDeclaration(one) || ts.isExportDeclaration(one))
        .filter((one) => needed.has(one))
        .flatMap(({ moduleSpecifier }) => moduleSpecifier ?? [])
        .filter((one) => one.getText().startsWith('".'));
    const lost = from.find((one) => {
        const file = checker.getSymbolAtLocation(one)?.declarations?.[0];
        return file === undefined || !kept.includes(file as ts.SourceFile);
    });
    const found = typeReferenceDirectives.length > 0 ? "a reference to types" : lost?.getText();
    if (found !== undefined) {
        throw new Error(`${fileName}: found ${found}, of which nothing is kept; expected imports and exports by name`);
    }
}

function refuseBrokenImports(file: ts.SourceFile, program: ts.Program): void {
    const cannotFindModule = 2307;
    const broken = program.getSemanticDiagnostics(file).find(({ code }) => code === cannotFindModule);
    if (broken !== undefined) {
        const why = ts.flattenDiagnosticMessageText(broken.messageText, " ");
        throw new Error(`${file.fileName}: ${why} Run npm run build again.`);
    }
}

/** What an entry offers with a statement. An import offers nothing. */
function partsOf(statement: ts.Statement): Part[] {
    if (ts.isImportDeclaration(statement)) {
        return [];
    }
    const names = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
    return [statement, ...(names && ts.isNamedExports(names) ? names.elements : [])];
}

function neededParts(first: readonly Part[], checker: ts.TypeChecker, isOwn: IsOwn): ReadonlySet<ts.Node> {
    const needed = new Set<Part>();
    const waiting = [...first];
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
        if (!needed.has(part)) {
            needed.add(part);
            waiting.push(...partsNamedIn(part, checker, isOwn));
        }
    }
    return needed;
}

/** Returns the parts that the names in a part lead to, through every import and export on the way. */
function partsNamedIn(part: Part, checker: ts.TypeChecker, isOwn: IsOwn): Part[] {
    const found: Part[] = [];
    const visit = (node: ts.Node): void => {
        if (ts.isIdentifier(node)) {
            const declared = meanings(node, checker).flatMap(({ declarations = [] }) => declarations);
            found.push(...declared.filter((one) => isOwn(one.getSourceFile())).flatMap(partsAround));
        }
        ts.forEachChild(node, visit);
    };
    // The names that it lists are parts themselves.
    if (!ts.isImportDeclaration(part) && !ts.isExportDeclaration(part)) {
        visit(part);
    }
    return found;
}

/** The symbol of a name, and what that stands for if it is imported. */
function meanings(name: ts.Identifier, checker: ts.TypeChecker): ts.Symbol[] {
    const symbols: ts.Symbol[] = [];
    let next = checker.getSymbolAtLocation(name);
    while (next !== undefined) {
        symbols.push(next);
        next = next.flags & ts.SymbolFlags.Alias ? checker.getImmediateAliasedSymbol(next) : undefined;
    }
    return symbols;
}

/** The statement that declares something, and its name in the list of an import or an export. */
function partsAround(declaration: ts.Node): Part[] {
    const parts: Part[] = [];
    for (let node = declaration; !ts.isSourceFile(node); node = node.parent) {
        if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node) || ts.isSourceFile(node.parent)) {
            parts.push(node as Part);
        }
    }
    return parts;
}

function textOf(file: ts.SourceFile, needed: ReadonlySet<ts.Node>): string {
    const texts = file.statements
        .filter((statement) => needed.has(statement))
        .map((statement) => {
            const names = namesListedBy(statement);
            const kept = names?.elements.filter((name: ts.Node) => needed.has(name)).map((name) => name.getText());
            return names && kept && kept.length < names.elements.length
                ? `${file.text.slice(statement.getStart(), names.getStart())}{ ${kept.join(", ")} }${file.text.slice(names.end, statement.end)}`
                : file.text.slice(statement.getFullStart(), statement.end).trim();
        });
    return `${texts.join("\n")}\n`;
}

function namesListedBy(statement: ts.Statement): ts.NamedImports | ts.NamedExports | undefined {
    const names = ts.isImportDeclaration(statement)
        ? statement.importClause?.namedBindings
        : ts.isExportDeclaration(statement)
          ? statement.exportClause
          : undefined;
    return names && (ts.isNamedImports(names) || ts.isNamedExports(names)) ? names : undefined;
}
