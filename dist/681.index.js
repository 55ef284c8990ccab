export const id = 681;
export const ids = [681];
export const modules = {

/***/ 5681:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   formatYamlIssue: () => (/* binding */ formatYamlIssue),
/* harmony export */   parseYaml: () => (/* binding */ parseYaml)
/* harmony export */ });
/* unused harmony export readYaml */
/* harmony import */ var yaml__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8815);
/* harmony import */ var _error_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(458);


/** Largest YAML text that is read, in UTF-16 units; a configuration written by people is far smaller. */
const YAML_MAX = 1024 * 1024;
/** Aliases one document may expand, against documents that grow without bound. */
const ALIASES_MAX = 100;
function describePath(path) {
    return path.reduce((text, key) => {
        if (typeof key === 'number')
            return `${text}[${key}]`;
        return text === '' ? String(key) : `${text}.${String(key)}`;
    }, '');
}
function pairOf(node, key) {
    if (!(0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isMap */ .jh)(node))
        return undefined;
    return node.items.find((pair) => (0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isScalar */ .jn)(pair.key) && String(pair.key.value) === String(key));
}
/** The deepest node that the path reaches: the value, or what would have to contain it. */
function nodeAt(document, path) {
    let node = document.contents;
    let place = document.contents;
    for (const key of path) {
        const next = (0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isSeq */ .oP)(node) ? node.items[Number(key)] : pairOf(node, key);
        if (next === undefined)
            return place;
        const value = (0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isPair */ .tO)(next) ? next.value : next;
        const empty = (0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isScalar */ .jn)(value) && value.value === null;
        if ((0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isNode */ .Ll)(value) && !empty)
            place = value;
        else if ((0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isPair */ .tO)(next) && (0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isNode */ .Ll)(next.key))
            place = next.key;
        node = value;
    }
    return place;
}
function unknownKeyIssues(issue, document, locate) {
    const map = nodeAt(document, issue.path);
    return issue.keys.map((key) => {
        const name = pairOf(map, key)?.key;
        return {
            ...locate(((0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .isNode */ .Ll)(name) ? name : map)?.range?.[0] ?? 0),
            path: describePath([...issue.path, key]),
            message: 'is not a known setting',
        };
    });
}
function schemaIssues(error, document, locate) {
    return error.issues.flatMap((issue) => issue.code === 'unrecognized_keys'
        ? unknownKeyIssues(issue, document, locate)
        : [
            {
                ...locate(nodeAt(document, issue.path)?.range?.[0] ?? 0),
                path: describePath(issue.path),
                message: issue.message,
            },
        ]);
}
/** Reads YAML by a schema. A text without content counts as an empty mapping. Never throws. */
function parseYaml(text, schema) {
    if (text.length > YAML_MAX) {
        const message = `is longer than ${YAML_MAX} characters`;
        return { ok: false, issues: [{ line: 1, column: 1, path: '', message }] };
    }
    const lines = new yaml__WEBPACK_IMPORTED_MODULE_0__/* .LineCounter */ .HN();
    const document = (0,yaml__WEBPACK_IMPORTED_MODULE_0__/* .parseDocument */ .Tp)(text, { lineCounter: lines, prettyErrors: false });
    const locate = (offset) => {
        const { line, col } = lines.linePos(offset);
        return { line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    const faults = [...document.errors, ...document.warnings];
    if (faults.length > 0) {
        return {
            ok: false,
            issues: faults.map((fault) => ({
                ...locate(fault.pos[0]),
                path: '',
                message: fault.message,
            })),
        };
    }
    let data;
    try {
        data = document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
    }
    catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { ok: false, issues: [{ line: 1, column: 1, path: '', message }] };
    }
    const parsed = schema.safeParse(data);
    return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, issues: schemaIssues(parsed.error, document, locate) };
}
/** An issue as editors and terminals link it: `runlink.yaml:3:5: environments[0].id: …`. */
function formatYamlIssue(file, issue) {
    const subject = issue.path === '' ? '' : `${issue.path}: `;
    return `${file}:${issue.line}:${issue.column}: ${subject}${issue.message}`;
}
/**
 * Reads YAML by a schema or throws `invalid_yaml`, whose message has one line per fault with file,
 * line and column.
 */
function readYaml(text, schema, file) {
    const result = parseYaml(text, schema);
    if (result.ok)
        return result.value;
    throw new RunlinkError('invalid_yaml', result.issues.map((issue) => formatYamlIssue(file, issue)).join('\n'), { hint: `Correct ${file} and start again.` });
}


/***/ })

};
