import { t as require_dist } from "./vendor-yaml.js";
// src/base/yaml.ts
var import_dist = require_dist();
const YAML_MAX = 1048576;
const ALIASES_MAX = 100;
const ISSUES_MAX = 100;
function parseYaml(text, schema) {
	if (text.length > YAML_MAX) return {
		ok: false,
		issues: [{
			line: 1,
			column: 1,
			path: "",
			message: `is longer than ${YAML_MAX} characters`
		}]
	};
	const lines = new import_dist.LineCounter();
	const document = (0, import_dist.parseDocument)(text, {
		lineCounter: lines,
		prettyErrors: false,
		uniqueKeys: false
	});
	const locate = (offset) => {
		const { line, col } = lines.linePos(offset);
		return {
			line: Math.max(line, 1),
			column: Math.max(col, 1)
		};
	};
	const issues = [...document.errors, ...document.warnings].map(({ pos, message }) => {
		const isDeep = message.includes("call stack");
		return {
			...locate(pos[0]),
			path: "",
			message: isDeep ? "is nested too deep" : message
		};
	});
	const repeated = issues.length > 0 ? [] : repeatedKeys(document, locate);
	if (issues.length + repeated.length > 0) return {
		ok: false,
		issues: [...issues, ...repeated].slice(0, ISSUES_MAX)
	};
	let data;
	try {
		data = document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
	} catch (error) {
		return {
			ok: false,
			issues: [{
				line: 1,
				column: 1,
				path: "",
				message: error instanceof Error ? error.message : String(error)
			}]
		};
	}
	const parsed = schema.safeParse(data);
	return parsed.success ? {
		ok: true,
		value: parsed.data
	} : {
		ok: false,
		issues: schemaIssues(parsed.error, document, locate)
	};
}
function formatYamlIssue(file, issue) {
	const subject = issue.path === "" ? "" : `${issue.path}: `;
	return `${file}:${issue.line}:${issue.column}: ${subject}${issue.message}`;
}
function describePath(path) {
	return path.reduce((text, key) => {
		if (typeof key === "number") return `${text}[${key}]`;
		return text === "" ? String(key) : `${text}.${String(key)}`;
	}, "");
}
function pairOf(node, key) {
	if (!(0, import_dist.isMap)(node)) return void 0;
	return node.items.find((pair) => (0, import_dist.isScalar)(pair.key) && String(pair.key.value) === String(key));
}
function nodeAt(document, path) {
	let node = document.contents;
	let place = document.contents;
	for (const key of path) {
		const next = (0, import_dist.isSeq)(node) ? node.items[Number(key)] : pairOf(node, key);
		if (next === void 0) return place;
		const value = (0, import_dist.isPair)(next) ? next.value : next;
		const empty = (0, import_dist.isScalar)(value) && value.value === null;
		if ((0, import_dist.isNode)(value) && !empty) place = value;
		else if ((0, import_dist.isPair)(next) && (0, import_dist.isNode)(next.key)) place = next.key;
		node = value;
	}
	return place;
}
function unknownKeyIssues(issue, document, locate) {
	const map = nodeAt(document, issue.path);
	return issue.keys.slice(0, ISSUES_MAX).map((key) => {
		const name = pairOf(map, key)?.key;
		return {
			...locate(((0, import_dist.isNode)(name) ? name : map)?.range?.[0] ?? 0),
			path: describePath([...issue.path, key]),
			message: "is not a known setting"
		};
	});
}
function schemaIssues(error, document, locate) {
	return error.issues.slice(0, ISSUES_MAX).flatMap((issue) => issue.code === "unrecognized_keys" ? unknownKeyIssues(issue, document, locate) : [{
		...locate(nodeAt(document, issue.path)?.range?.[0] ?? 0),
		path: describePath(issue.path),
		message: issue.message
	}]);
}
function repeatedKeys(document, locate) {
	const issues = [];
	(0, import_dist.visit)(document, { Map(_, map) {
		const known = new Set();
		for (const { key } of map.items) {
			if (!(0, import_dist.isScalar)(key)) continue;
			if (known.has(key.value)) issues.push({
				...locate(key.range?.[0] ?? 0),
				path: "",
				message: "this key appears twice"
			});
			known.add(key.value);
		}
	} });
	return issues;
}
export { formatYamlIssue, parseYaml };
