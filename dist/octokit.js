import { setTimeout } from "node:timers/promises";
// src/base/error.ts
/**
* The error every room throws across its border: a stable machine code, a sentence that says what
* happened, and a hint that says what to do next.
*/
var RunlinkError = class extends Error {
	code;
	hint;
	constructor(code, message, options = {}) {
		super(message, options.cause === void 0 ? void 0 : { cause: options.cause });
		this.name = "RunlinkError";
		this.code = code;
		this.hint = options.hint;
	}
};
/** The text of anything that was thrown, for logs and reports. */
function errorMessage(thrown) {
	if (!(thrown instanceof Error)) return String(thrown);
	const cause = thrown.cause instanceof Error ? thrown.cause.message : "";
	return thrown.message.includes(cause) ? thrown.message : `${thrown.message} (${cause})`;
}
/** What went wrong, in one line: the first of its message. */
function firstLine(thrown) {
	return (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0] ?? "";
}
// src/base/time.ts
const UNIT_MS = {
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: 36e5,
	d: 864e5
};
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/i;
/** Milliseconds of a duration such as `90s`, `45m`, `5h`; throws `invalid_duration` for anything else. */
function parseDurationMs(text) {
	const match = DURATION.exec(text.trim());
	const unit = match?.[2]?.toLowerCase();
	if (!match?.[1] || !unit) throw new RunlinkError("invalid_duration", `"${text}" is not a duration.`, { hint: "Write a number and a unit, such as 90s, 45m or 5h." });
	return Number(match[1]) * UNIT_MS[unit];
}
/** A duration as people read it: `4.2s`, `3m 20s`, `2h 5m`. */
function formatDuration(ms) {
	if (ms < 1e4) return `${(ms / 1e3).toFixed(1)}s`;
	const seconds = Math.round(ms / 1e3);
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
	return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
/** Waits; rejects with the signal's reason as soon as it is aborted. */
async function sleep(ms, signal) {
	try {
		await setTimeout(ms, void 0, signal ? { signal } : {});
	} catch (error) {
		throw signal?.aborted ? signal.reason : error;
	}
}
// src/github/read/octokit.ts
/** Where GraphQL is: GitHub Enterprise Server has its REST API under /api/v3 and GraphQL beside it. */
function graphqlBase(github) {
	return github.request.endpoint.DEFAULTS.baseUrl.replace(/\/api\/v3\/?$/, "/api");
}
/** HTTP status of what Octokit threw; undefined when it was nothing of Octokit's. */
function statusOf(thrown) {
	if (typeof thrown !== "object" || thrown === null || !("status" in thrown)) return void 0;
	return typeof thrown.status === "number" ? thrown.status : void 0;
}
/** Asks what no typed route names, such as one of several like places; the answer is to be parsed. */
async function ask(github, route, parameters) {
	return (await github.request(route, parameters)).data;
}
/** `owner/name` in the two parts that routes take. */
function splitRepository(repository) {
	const [owner = "", repo = ""] = repository.split("/");
	return {
		owner,
		repo
	};
}
export { formatDuration as a, RunlinkError as c, statusOf as i, errorMessage as l, graphqlBase as n, parseDurationMs as o, splitRepository as r, sleep as s, ask as t, firstLine as u };
