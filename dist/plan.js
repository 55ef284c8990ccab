import { t as __commonJSMin } from "./rolldown-runtime.js";
import { n as statusOf, o as RunlinkError, s as errorMessage } from "./octokit.js";
// src/action/interrupted.ts
/** Why the work under way was stopped from outside: aborts its signal. */
var Interrupted = class extends Error {
	by;
	constructor(by) {
		super(by === "timeout" ? "The time limit of the step passed." : `Stopped by ${by}.`);
		this.name = "Interrupted";
		this.by = by;
	}
};
// src/contract/run-state.ts
/** The states a run can be in here (interface.md 3). */
const RUN_STATES = [
	"QUEUED",
	"PENDING",
	"INPROGRESS",
	"SUCCEEDED",
	"FAILED",
	"ERROR",
	"BLOCKED",
	"CANCELLED"
];
/** States in which a run has ended; every other value, known or not, means it still works (rules.md). */
const TERMINAL_STATES = [
	"SUCCEEDED",
	"FAILED",
	"ERROR",
	"BLOCKED",
	"CANCELLED"
];
function isTerminal(state) {
	return TERMINAL_STATES.includes(state);
}
// src/github/decide/permission.ts
/** What a person may do on a repository, weakest first. */
const PERMISSIONS = [
	"none",
	"read",
	"triage",
	"write",
	"maintain",
	"admin"
];
/** Names GitHub gives the levels in its two fields; `pull` and `push` are the older API's. */
const LEVELS = {
	none: "none",
	read: "read",
	pull: "read",
	triage: "triage",
	write: "write",
	push: "write",
	maintain: "maintain",
	admin: "admin"
};
function meets(held, bar) {
	return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(bar);
}
/**
* The level behind GitHub's two answers: `permission` knows only admin, write, read and none,
* `role_name` also maintain, triage and custom names. The role may refine the permission (triage is
* told as read, maintain as write), never exceed it; what neither names is none.
*/
function permissionLevel(permission, role) {
	const legacy = level(permission);
	const named = level(role);
	if (legacy === void 0) return "none";
	if (named === void 0) return legacy;
	if (legacy === "write" && named === "maintain") return named;
	if (legacy === "read" && named === "triage") return named;
	return meets(legacy, named) ? named : legacy;
}
function level(name) {
	return typeof name === "string" && Object.hasOwn(LEVELS, name) ? LEVELS[name] : void 0;
}
/** A person's level, asked of GitHub now; 404 is somebody without any. Other failures are thrown. */
async function askPermission(github, repository, login) {
	try {
		const { data } = await github.request("GET /repos/{owner}/{repo}/collaborators/{username}/permission", {
			owner: repository.owner,
			repo: repository.name,
			username: login
		});
		const { permission, role_name: role } = data;
		if (typeof permission === "string") return permissionLevel(permission, role);
	} catch (error) {
		if (statusOf(error) === 404) return "none";
		throw error;
	}
	throw new RunlinkError("github_unreadable", "GitHub’s answer names no permission.");
}
// src/github/reason.ts
/**
* Every reason why an event, a command or a run ended as it did: the stable codes of logs, counters
* and the Action's output `reason-code` (house.md decision 8). `skip`: not for us, nobody waits.
* `refusal`: a person waits and is told. `done`, `failure`: how a request that was taken up ended.
*/
const REASONS = {
	unsupported_event: {
		kind: "skip",
		text: "this event starts nothing here"
	},
	unreadable_payload: {
		kind: "skip",
		text: "the event’s payload is not what GitHub documents"
	},
	not_created: {
		kind: "skip",
		text: "only new comments count, not edits or deletions"
	},
	not_a_command: {
		kind: "skip",
		text: "the text holds no command"
	},
	label_mismatch: {
		kind: "skip",
		text: "another label was added"
	},
	assignee_mismatch: {
		kind: "skip",
		text: "somebody else was assigned"
	},
	bot: {
		kind: "skip",
		text: "bots start nothing unless they are listed by name"
	},
	own_comment: {
		kind: "skip",
		text: "our own comments never start anything"
	},
	duplicate_delivery: {
		kind: "skip",
		text: "this delivery was taken up before"
	},
	duplicate_request: {
		kind: "skip",
		text: "this request has its run already"
	},
	busy: {
		kind: "skip",
		text: "a run is working on this thread already"
	},
	no_actor: {
		kind: "refusal",
		text: "the event does not say who caused it"
	},
	actor_mismatch: {
		kind: "refusal",
		text: "the sender is not the author of the text"
	},
	actor_below_bar: {
		kind: "refusal",
		text: "the permission on this repository is too low"
	},
	permission_unknown: {
		kind: "refusal",
		text: "GitHub did not answer what permission they have"
	},
	fork: {
		kind: "refusal",
		text: "runs on pull requests from forks are not allowed here"
	},
	fork_sha_required: {
		kind: "refusal",
		text: "the command must name the commit of the fork"
	},
	fork_sha_mismatch: {
		kind: "refusal",
		text: "the named commit is no longer the head"
	},
	head_unknown: {
		kind: "refusal",
		text: "the head commit of the pull request could not be read"
	},
	unknown_command: {
		kind: "refusal",
		text: "there is no such command"
	},
	unknown_option: {
		kind: "refusal",
		text: "there is no such option"
	},
	option_without_value: {
		kind: "refusal",
		text: "an option lacks its value"
	},
	no_prompt: {
		kind: "refusal",
		text: "the command says nothing to do"
	},
	too_many_commands: {
		kind: "refusal",
		text: "the text holds too many commands"
	},
	command_not_allowed: {
		kind: "refusal",
		text: "this command is reserved for others here"
	},
	limit_reached: {
		kind: "refusal",
		text: "the limit of runs is reached"
	},
	no_run: {
		kind: "refusal",
		text: "there is no run on this thread"
	},
	run_ended: {
		kind: "refusal",
		text: "the run has ended already"
	},
	not_cancellable: {
		kind: "refusal",
		text: "the service cannot cancel this kind of run"
	},
	reported_status: {
		kind: "done",
		text: "the state was reported"
	},
	reported_help: {
		kind: "done",
		text: "the help was shown"
	},
	cancel_requested: {
		kind: "done",
		text: "the run was cancelled on command"
	},
	started: {
		kind: "done",
		text: "the run was started and is not waited for"
	},
	dry_run: {
		kind: "done",
		text: "the request was shown and not sent"
	},
	succeeded: {
		kind: "done",
		text: "the run succeeded"
	},
	failed: {
		kind: "failure",
		text: "the run failed"
	},
	errored: {
		kind: "failure",
		text: "the run broke on the service’s side"
	},
	blocked: {
		kind: "failure",
		text: "the run needs somebody’s answer"
	},
	cancelled: {
		kind: "failure",
		text: "the run was cancelled"
	},
	timed_out: {
		kind: "failure",
		text: "the time limit of the step passed"
	},
	interrupted: {
		kind: "failure",
		text: "the workflow was cancelled"
	},
	run_vanished: {
		kind: "failure",
		text: "the service no longer knows the run"
	},
	service_unreachable: {
		kind: "failure",
		text: "the service did not answer as it should"
	},
	service_refused: {
		kind: "failure",
		text: "the service refused the request"
	},
	github_unreachable: {
		kind: "failure",
		text: "GitHub did not answer as it should"
	},
	invalid_input: {
		kind: "failure",
		text: "an input is missing or wrong"
	},
	internal_error: {
		kind: "failure",
		text: "something went wrong on our side"
	}
};
// src/github/markdown.ts
var import_fastest_levenshtein = (/* @__PURE__ */ __commonJSMin(((exports) => {
	exports.__esModule = true;
	exports.distance = exports.closest = void 0;
	var peq = /* @__PURE__ */ new Uint32Array(65536);
	var myers_32 = function(a, b) {
		var n = a.length;
		var m = b.length;
		var lst = 1 << n - 1;
		var pv = -1;
		var mv = 0;
		var sc = n;
		var i = n;
		while (i--) peq[a.charCodeAt(i)] |= 1 << i;
		for (i = 0; i < m; i++) {
			var eq = peq[b.charCodeAt(i)];
			var xv = eq | mv;
			eq |= (eq & pv) + pv ^ pv;
			mv |= ~(eq | pv);
			pv &= eq;
			if (mv & lst) sc++;
			if (pv & lst) sc--;
			mv = mv << 1 | 1;
			pv = pv << 1 | ~(xv | mv);
			mv &= xv;
		}
		i = n;
		while (i--) peq[a.charCodeAt(i)] = 0;
		return sc;
	};
	var myers_x = function(b, a) {
		var n = a.length;
		var m = b.length;
		var mhc = [];
		var phc = [];
		var hsize = Math.ceil(n / 32);
		var vsize = Math.ceil(m / 32);
		for (var i = 0; i < hsize; i++) {
			phc[i] = -1;
			mhc[i] = 0;
		}
		var j = 0;
		for (; j < vsize - 1; j++) {
			var mv_1 = 0;
			var pv_1 = -1;
			var start_1 = j * 32;
			var vlen_1 = Math.min(32, m) + start_1;
			for (var k = start_1; k < vlen_1; k++) peq[b.charCodeAt(k)] |= 1 << k;
			for (var i = 0; i < n; i++) {
				var eq = peq[a.charCodeAt(i)];
				var pb = phc[i / 32 | 0] >>> i & 1;
				var mb = mhc[i / 32 | 0] >>> i & 1;
				var xv = eq | mv_1;
				var xh = ((eq | mb) & pv_1) + pv_1 ^ pv_1 | eq | mb;
				var ph = mv_1 | ~(xh | pv_1);
				var mh = pv_1 & xh;
				if (ph >>> 31 ^ pb) phc[i / 32 | 0] ^= 1 << i;
				if (mh >>> 31 ^ mb) mhc[i / 32 | 0] ^= 1 << i;
				ph = ph << 1 | pb;
				mh = mh << 1 | mb;
				pv_1 = mh | ~(xv | ph);
				mv_1 = ph & xv;
			}
			for (var k = start_1; k < vlen_1; k++) peq[b.charCodeAt(k)] = 0;
		}
		var mv = 0;
		var pv = -1;
		var start = j * 32;
		var vlen = Math.min(32, m - start) + start;
		for (var k = start; k < vlen; k++) peq[b.charCodeAt(k)] |= 1 << k;
		var score = m;
		for (var i = 0; i < n; i++) {
			var eq = peq[a.charCodeAt(i)];
			var pb = phc[i / 32 | 0] >>> i & 1;
			var mb = mhc[i / 32 | 0] >>> i & 1;
			var xv = eq | mv;
			var xh = ((eq | mb) & pv) + pv ^ pv | eq | mb;
			var ph = mv | ~(xh | pv);
			var mh = pv & xh;
			score += ph >>> m - 1 & 1;
			score -= mh >>> m - 1 & 1;
			if (ph >>> 31 ^ pb) phc[i / 32 | 0] ^= 1 << i;
			if (mh >>> 31 ^ mb) mhc[i / 32 | 0] ^= 1 << i;
			ph = ph << 1 | pb;
			mh = mh << 1 | mb;
			pv = mh | ~(xv | ph);
			mv = ph & xv;
		}
		for (var k = start; k < vlen; k++) peq[b.charCodeAt(k)] = 0;
		return score;
	};
	var distance = function(a, b) {
		if (a.length < b.length) {
			var tmp = b;
			b = a;
			a = tmp;
		}
		if (b.length === 0) return a.length;
		if (a.length <= 32) return myers_32(a, b);
		return myers_x(a, b);
	};
	exports.distance = distance;
	var closest = function(str, arr) {
		var min_distance = Infinity;
		var min_index = 0;
		for (var i = 0; i < arr.length; i++) {
			var dist = distance(str, arr[i]);
			if (dist < min_distance) {
				min_distance = dist;
				min_index = i;
			}
		}
		return arr[min_index];
	};
	exports.closest = closest;
})))();
/** Parses GitHub-flavoured Markdown. Loaded on first use: paths without a command pay nothing. */
async function parseMarkdown(source) {
	return (await import("./parse-markdown.js")).parseMarkdown(source);
}
/** Every node under `node`, itself first. */
function* walk(node) {
	yield node;
	if ("children" in node) for (const child of node.children) yield* walk(child);
}
/** Where a node stands in the source, as [start, end) in UTF-16 units. */
function span(node) {
	return [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
}
// src/github/decide/command-text.ts
/** Blocks that hold the author's own lines; quotes, code, HTML, tables and footnotes do not. */
const OPEN_BLOCKS = [
	"root",
	"list",
	"listItem"
];
const LINE_BLOCKS = ["paragraph", "heading"];
/**
* The text behind each occurrence of `phrase` as first word of a line of the author's own text, up to
* the next occurrence. Line ends are `\n`; HTML comments are left out.
*/
async function findCommandText(body, phrase) {
	const wanted = phrase.trim();
	if (wanted === "" || !body.toLowerCase().includes(wanted.toLowerCase())) return [];
	const source = body.replaceAll(/\r\n?/g, "\n");
	const tree = await parseMarkdown(source);
	const starts = [...lineBlocks(tree)].flatMap((block) => commandStarts(block, source, wanted));
	const comments = [...walk(tree)].filter(isHtmlComment).map(span);
	return starts.map((start, position) => {
		const end = starts[position + 1] ?? source.length;
		return without(comments, source, start + wanted.length, end).trim();
	});
}
function* lineBlocks(node) {
	if (LINE_BLOCKS.includes(node.type)) yield node;
	else if (OPEN_BLOCKS.includes(node.type) && "children" in node) for (const child of node.children) yield* lineBlocks(child);
}
/** Offsets in `source` at which a line of this block begins with the phrase as a word of plain text. */
function commandStarts(block, source, phrase) {
	const [blockStart, blockEnd] = span(block);
	const plain = "children" in block ? block.children.filter((child) => child.type === "text") : [];
	const lineStart = source.lastIndexOf("\n", blockStart - 1) + 1;
	const starts = [];
	for (let at = lineStart; at < blockEnd; at = nextLine(source, at)) {
		const first = at + (/^[^\S\n]*/.exec(source.slice(at, blockEnd))?.[0].length ?? 0);
		if (!beginsWithWord(source, first, phrase)) continue;
		if (plain.some((child) => {
			const [start, end] = span(child);
			return start <= first && first + phrase.length <= end;
		})) starts.push(first);
	}
	return starts;
}
function nextLine(source, at) {
	const end = source.indexOf("\n", at);
	return end === -1 ? source.length : end + 1;
}
function beginsWithWord(source, at, phrase) {
	const word = source.slice(at, at + phrase.length);
	const after = source.slice(at + phrase.length, at + phrase.length + 1);
	return word.toLowerCase() === phrase.toLowerCase() && (after === "" || /\s/.test(after));
}
function isHtmlComment(node) {
	return node.type === "html" && node.value.trimStart().startsWith("<!--");
}
/** `source` from `start` to `end` without what lies in `holes`. */
function without(holes, source, start, end) {
	let text = "";
	let at = start;
	for (const [from, to] of holes) {
		if (to <= at || from >= end) continue;
		text += source.slice(at, Math.max(at, from));
		at = Math.max(at, to);
	}
	return at < end ? text + source.slice(at, end) : text;
}
// src/github/decide/command-options.ts
/** What a command may set besides its text. */
const OPTION_NAMES = [
	"model",
	"environment",
	"skill",
	"sha"
];
const OPTION = /^--([a-z][\w-]*)(?:=(.*))?$/i;
/** A word, or a quoted value with blanks in it. */
const WORD = /--[\w-]+="[^"\n]*"|"[^"\n]*"|\S+/g;
/** Verbs behind which options may stand as well as before them. */
const LEADING_WORD = /^(?:status|cancel|retry|follow|new|help)$/i;
const OPTION_DISTANCE = 2;
/**
* Takes `--name value` pairs off the first line of a command: those before its text (or right after
* its verb), and those at the very end of the line. In the middle `--flag` is the person's prose, and
* in backticks it is prose anywhere.
*/
function readOptions(text) {
	const [line = ""] = text.split("\n", 1);
	const rest = text.slice(line.length);
	const words = [...line.matchAll(WORD)].map((match) => ({
		text: match[0],
		start: match.index,
		end: match.index + match[0].length
	}));
	const verb = words.length > 0 && LEADING_WORD.test(words[0]?.text ?? "") ? words[0] : void 0;
	const leading = takeLeading(verb ? words.slice(1) : words);
	if ("problem" in leading) return leading;
	const trailing = takeTrailing(leading.words);
	if ("problem" in trailing) return trailing;
	const [first, last] = [trailing.words[0], trailing.words.at(-1)];
	const prose = first && last ? line.slice(first.start, last.end) : "";
	return {
		text: (verb ? `${verb.text} ${prose}`.trimEnd() + rest : prose + rest).trim(),
		options: {
			...leading.options,
			...trailing.options
		}
	};
}
function takeLeading(words) {
	const options = {};
	let at = 0;
	for (;;) {
		const option = readOption(words[at]);
		if (!option) return {
			options,
			words: words.slice(at)
		};
		const name = toOptionName(option.name);
		if (name === void 0) return { problem: unknownOption(option.name) };
		const value = option.value ?? words[at + 1]?.text;
		if (!isValue(value)) return { problem: {
			reason: "option_without_value",
			word: `--${name}`
		} };
		options[name] = unquote(value);
		at += option.value === void 0 ? 2 : 1;
	}
}
/** Reads pairs backwards from the end of the line; stops at the first word that is prose. */
function takeTrailing(words) {
	const options = {};
	let end = words.length;
	for (;;) {
		const pair = lastPair(words.slice(0, end));
		if (!pair) return {
			options,
			words: words.slice(0, end)
		};
		if ("problem" in pair) return pair;
		options[pair.name] ??= pair.value;
		end -= pair.length;
	}
}
/** `--name value` or `--name=value` at the end of these words; undefined when they end in prose. */
function lastPair(words) {
	const alone = readOption(words.at(-1));
	if (alone) return toPair(alone.name, alone.value, 1);
	const before = readOption(words.at(-2));
	return before?.value === void 0 && before ? toPair(before.name, words.at(-1)?.text, 2) : void 0;
}
function readOption(word) {
	const match = OPTION.exec(word?.text ?? "");
	return match?.[1] === void 0 ? void 0 : {
		name: match[1],
		value: match[2]
	};
}
function toPair(word, value, length) {
	const name = toOptionName(word);
	if (name === void 0) return nearMiss(word);
	if (!isValue(value)) return { problem: {
		reason: "option_without_value",
		word: `--${name}`
	} };
	return {
		name,
		value: unquote(value),
		length
	};
}
/** At the end of a line only a near miss of an option is taken for one; the rest is prose. */
function nearMiss(word) {
	const problem = unknownOption(word);
	return (0, import_fastest_levenshtein.distance)(problem.word, problem.nearest) <= OPTION_DISTANCE ? { problem } : void 0;
}
function unquote(value) {
	return value.replaceAll(/^"|"$/g, "").trim();
}
function isValue(value) {
	return value !== void 0 && unquote(value) !== "" && !value.startsWith("--");
}
function toOptionName(word) {
	return OPTION_NAMES.find((name) => name === word.toLowerCase());
}
function unknownOption(word) {
	const nearest = (0, import_fastest_levenshtein.closest)(word.toLowerCase(), [...OPTION_NAMES]);
	return {
		reason: "unknown_option",
		word: `--${word}`,
		nearest: `--${nearest}`
	};
}
// src/github/decide/command.ts
const VERBS = [
	"status",
	"cancel",
	"retry",
	"follow",
	"new",
	"help"
];
/** Verbs that take no text: with more words behind them they are the first word of a prompt. */
const BARE_VERBS = [
	"status",
	"cancel",
	"retry",
	"help"
];
/** Each costs requests to GitHub, also where its author may not: more than anybody means to give. */
const COMMANDS_MAX = 20;
/** Typing errors that are still taken for a verb, and not for a one-word prompt. */
const VERB_DISTANCE = 2;
/**
* The commands of a comment, review or issue text, in order. A command is the phrase as first word of
* a line of the author's own text, up to the next command or the end (rules.md, "Commands").
*/
async function readCommands(body, grammar) {
	const texts = await findCommandText(body, grammar.phrase);
	const commands = texts.slice(0, COMMANDS_MAX).map((text, position) => readCommand(text, position + 1, grammar));
	if (texts.length <= COMMANDS_MAX) return commands;
	const problem = {
		reason: "too_many_commands",
		max: COMMANDS_MAX
	};
	return [...commands, {
		index: 21,
		problem
	}];
}
function readCommand(text, index, grammar) {
	const read = readOptions(text);
	if ("problem" in read) return {
		index,
		problem: read.problem
	};
	const [, word = "", rest = ""] = /^(\S*)([\s\S]*)$/.exec(read.text) ?? [];
	const asked = readAsked(word, rest.trim(), rest, grammar.custom ?? []);
	if ("reason" in asked) return {
		index,
		problem: asked
	};
	const prompt = asked.verb === "run" ? read.text : asked.prompt;
	if (prompt === "" && needsPrompt(asked.verb, read.options)) return {
		index,
		problem: { reason: "no_prompt" }
	};
	return {
		index,
		options: read.options,
		...asked,
		prompt
	};
}
function readAsked(word, prompt, rest, names) {
	const custom = names.find((one) => one.toLowerCase() === word.toLowerCase());
	if (custom) return {
		verb: "custom",
		name: custom,
		prompt
	};
	const verb = readVerb(word, rest);
	if (verb) return {
		verb,
		name: void 0,
		prompt: BARE_VERBS.includes(verb) ? "" : prompt
	};
	const nearest = prompt === "" ? nearestVerb(word, names) : void 0;
	if (nearest) return {
		reason: "unknown_command",
		word,
		nearest
	};
	return {
		verb: "run",
		name: void 0,
		prompt
	};
}
function needsPrompt(verb, options) {
	if (verb === "run" || verb === "new") return options.skill === void 0;
	return verb === "follow";
}
/** The verb a command begins with, unless it is only the first word of a sentence. */
function readVerb(word, rest) {
	const name = word.toLowerCase();
	const [sameLine = ""] = rest.split("\n", 1);
	const isSentence = BARE_VERBS.includes(name) && sameLine.trim() !== "";
	return isVerb(name) && !isSentence ? name : void 0;
}
function isVerb(word) {
	return VERBS.includes(word);
}
/** The verb a lone word was probably meant to be. */
function nearestVerb(word, custom) {
	const name = word.toLowerCase();
	const nearest = (0, import_fastest_levenshtein.closest)(name, [...VERBS, ...custom]);
	const allowed = Math.min(VERB_DISTANCE, Math.floor(nearest.length / 2));
	return name !== "" && (0, import_fastest_levenshtein.distance)(name, nearest) <= allowed ? nearest : void 0;
}
// src/github/decide/trigger.ts
/** Actions that bring new text of a person: only these are read for commands (threats.md G3). */
const NEW_TEXT = {
	issue_comment: "created",
	pull_request_review_comment: "created",
	pull_request_review: "submitted",
	issues: "opened",
	pull_request: "opened"
};
/** What in this event asks for something, or why nothing does. */
async function findTrigger(event, triggers) {
	const isNewText = NEW_TEXT[event.name] !== void 0 && NEW_TEXT[event.name] === event.action;
	if (isNewText) {
		const commands = await readCommands(newText(event), triggers);
		if (commands.length > 0) return { trigger: {
			kind: "commands",
			commands
		} };
	}
	const named = namedTrigger(event, triggers);
	if (named) return named;
	const waitsForName = triggers.label !== void 0 || triggers.assignee !== void 0;
	if (triggers.prompt && !waitsForName) return { trigger: { kind: "prompt" } };
	if (isNewText) return { ignored: "not_a_command" };
	return { ignored: event.comment ? "not_created" : "unsupported_event" };
}
/** The text that the event brings: of the comment or review, else of the issue or pull request. */
function newText(event) {
	return event.comment?.body ?? event.thread?.body ?? "";
}
function namedTrigger(event, triggers) {
	if (event.action === "labeled" && triggers.label !== void 0) return sameName(event.label, triggers.label) ? { trigger: { kind: "label" } } : { ignored: "label_mismatch" };
	if (event.action === "assigned" && triggers.assignee !== void 0) return sameName(event.assignee, triggers.assignee) ? { trigger: { kind: "assignee" } } : { ignored: "assignee_mismatch" };
}
/** Logins and labels are the same in any case; a leading `@` is how people write logins. */
function sameName(one, other) {
	if (one === void 0 || other === void 0) return false;
	return one.replace(/^@/, "").toLowerCase() === other.replace(/^@/, "").toLowerCase();
}
// src/github/decide/gate.ts
/**
* Events that GitHub accepts only from people (or tokens) with write access, so that they prove it
* where no token is at hand to ask.
*/
const PROVES_WRITE = [
	"push",
	"workflow_dispatch",
	"repository_dispatch",
	"merge_group"
];
/** Splits a list input of exact logins; throws `wildcard_refused` for patterns (threats.md G1, G2). */
function readLogins(list) {
	const logins = list.split(/[\s,]+/).filter((login) => login !== "");
	const pattern = logins.find((login) => /[*?]/.test(login));
	if (pattern !== void 0) throw new RunlinkError("wildcard_refused", `"${pattern}" is a pattern, not a login.`, { hint: "Name each login exactly; anybody could match a pattern." });
	return logins.map((login) => login.replace(/^@/, ""));
}
/**
* May the person behind this event start or steer a run here? Asked of GitHub at this moment, and
* refused when GitHub does not say (threats.md G1, G2, G13). Without `github` nobody can be asked.
*/
async function gateActor(github, event, rules) {
	const { actor } = event;
	if (!actor) return event.thread !== void 0 || event.comment !== void 0 ? refuse("no_actor") : {
		allowed: true,
		permission: "not asked"
	};
	return gateByName(event, actor, rules) ?? (github ? gateByPermission(github, event, rules, actor.login) : gateWithoutToken(event, rules));
}
/** What the sender's identity alone decides; undefined when it is the permission that does. */
function gateByName(event, actor, rules) {
	const isIn = (list) => list.some((one) => sameName(one, actor.login));
	const isListedBot = isIn(rules.allowedBots);
	if (isIn(rules.ownLogins) && !isListedBot) return refuse("own_comment");
	if (event.comment && !sameName(event.comment.author, actor.login)) return refuse("actor_mismatch");
	if (actor.type === "Bot") return isListedBot ? {
		allowed: true,
		permission: "listed"
	} : refuse("bot");
	if (isIn(rules.allowedUsers)) return {
		allowed: true,
		permission: "listed"
	};
	return rules.permission === "none" ? {
		allowed: true,
		permission: "not asked"
	} : void 0;
}
async function gateByPermission(github, event, rules, login) {
	let held;
	try {
		held = await askPermission(github, event.repository, login);
	} catch (error) {
		return {
			...refuse("permission_unknown", `GitHub was asked about ${login}: ${errorMessage(error)}`),
			cause: error
		};
	}
	if (meets(held, rules.permission)) return {
		allowed: true,
		permission: held
	};
	return refuse("actor_below_bar", `This needs \`${rules.permission}\` permission on the repository; ${login} has \`${held}\`.`);
}
function gateWithoutToken(event, rules) {
	if (PROVES_WRITE.includes(event.name) && meets("write", rules.permission)) return {
		allowed: true,
		permission: "write"
	};
	return refuse("permission_unknown", "There is no token to ask GitHub with who may do this: pass `github-token`.");
}
/**
* The head to work on, read at this moment (threats.md G6): a comment's payload does not carry it,
* and what the payload says may be older than the command. Undefined off pull requests.
*/
async function pinHead(github, event) {
	const { thread, head, repository } = event;
	if (thread?.kind !== "pull_request") return {
		head: void 0,
		base: void 0
	};
	if (head && event.name === "pull_request") return {
		head,
		base: thread.base
	};
	if (!github) return head ? {
		head,
		base: thread.base
	} : refuse("head_unknown");
	try {
		const { data } = await github.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
			owner: repository.owner,
			repo: repository.name,
			pull_number: thread.number
		});
		const from = data.head.repo?.full_name ?? "";
		const fork = from.toLowerCase() !== data.base.repo.full_name.toLowerCase();
		return {
			head: {
				sha: data.head.sha,
				ref: data.head.ref,
				repository: from,
				fork
			},
			base: data.base.ref
		};
	} catch (error) {
		return {
			...refuse("head_unknown", errorMessage(error)),
			cause: error
		};
	}
}
/** A full commit id; a shorter one could be matched by a made-up commit. */
const FULL_SHA = /\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b/gi;
/** Work on a fork's pull request needs permission here and its head named in the asker's own words. */
function gateFork(head, rules, asked) {
	if (!head?.fork) return { allowed: true };
	if (!rules.allowForks) return refuse("fork");
	const named = asked.sha === void 0 ? asked.text.match(FULL_SHA) ?? [] : [asked.sha];
	if (named.length === 0) return refuse("fork_sha_required", `Name the commit you have read: \`--sha ${head.sha}\`.`);
	if (named.some((sha) => sha.toLowerCase() === head.sha.toLowerCase())) return { allowed: true };
	return refuse("fork_sha_mismatch", `The head is \`${head.sha}\` now; read that one first.`);
}
function refuse(reason, detail) {
	return {
		allowed: false,
		reason,
		detail: detail ?? `Nothing was started: ${REASONS[reason].text}.`
	};
}
// src/github/decide/plan.ts
/** What to do with work that is asked for while a run works on the same thread (rules.md). */
const WHEN_BUSY = [
	"follow-up",
	"new",
	"skip"
];
/** Verbs that do work, so that forks and limits matter to them. */
function doesWork(verb) {
	return verb !== "status" && verb !== "cancel" && verb !== "help";
}
/** What a command comes to on a thread, the same in Action and App (rules.md, "Commands"). */
function planCommand(command, threadRun, whenBusy) {
	const { verb } = command;
	if (verb === "help") return { do: "help" };
	if (verb === "new") return {
		do: "create",
		prompt: command.prompt
	};
	if (verb === "run" || verb === "custom") return planWork(command, threadRun, whenBusy);
	return threadRun ? planOnRun(command, threadRun) : {
		do: "refuse",
		reason: "no_run"
	};
}
function planWork(command, threadRun, whenBusy) {
	if (!threadRun || command.prompt === "") return {
		do: "create",
		prompt: command.prompt
	};
	if (isTerminal(threadRun.state) || whenBusy === "follow-up") return followUp(command, threadRun);
	if (whenBusy === "new") return {
		do: "create",
		prompt: command.prompt
	};
	return {
		do: "skip",
		reason: "busy"
	};
}
function planOnRun(command, { runId, state }) {
	if (command.verb === "status") return {
		do: "status",
		runId
	};
	if (command.verb === "follow") return followUp(command, {
		runId,
		state
	});
	const ended = isTerminal(state);
	if (command.verb === "cancel") return ended ? {
		do: "refuse",
		reason: "run_ended"
	} : {
		do: "cancel",
		runId
	};
	return ended ? {
		do: "retry",
		runId
	} : {
		do: "skip",
		reason: "busy"
	};
}
function followUp({ prompt, options }, { runId }) {
	return {
		do: "follow_up",
		runId,
		message: prompt,
		ignoredOptions: Object.keys(options).filter((name) => name !== "sha")
	};
}
export { isTerminal as _, gateFork as a, findTrigger as c, span as d, walk as f, TERMINAL_STATES as g, RUN_STATES as h, gateActor as i, sameName as l, PERMISSIONS as m, doesWork as n, pinHead as o, REASONS as p, planCommand as r, readLogins as s, WHEN_BUSY as t, parseMarkdown as u, Interrupted as v };
