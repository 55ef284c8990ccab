import { d as sameName, f as threadName, g as Interrupted, h as isTerminal, l as REASONS, m as TERMINAL_STATES, p as RUN_STATES, r as trimEnd, u as repositoryName } from "./prepare.js";
import { a as formatDuration, c as RunlinkError, i as statusOf, l as errorMessage, n as graphqlBase, r as splitRepository, s as sleep, t as ask, u as firstLine } from "./octokit.js";
import { _ as union, a as bigint, d as looseObject, f as number, g as string, h as strictObject, i as base64, l as int, m as record, n as _enum, o as boolean, p as object, r as array, s as discriminatedUnion, t as datetime, u as literal, v as unknown } from "./vendor-zod.js";
import { a as inertLine, l as cutMarkdown, o as CHECK_TEXT_MAX, s as COMMENT_MAX, u as fenced } from "./inert-line.js";
import { a as runIdentifier, c as text, d as uuid, i as pageInfo, l as timestamp, n as filledText, o as scope, r as metadata, s as skillSpec, t as environmentId, u as userProfile } from "./primitives.js";
import { t as agentConfig } from "./agent-config2.js";
import { setTimeout as setTimeout$1 } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Readable } from "node:stream";
// src/contract/problem.ts
/**
* The public error codes (interface.md 7.2) with the HTTP status each is sent with, whether the
* same request may succeed later, and the state a run ends in when it ends with that code: FAILED
* is the task's or the user's fault, ERROR the platform's
* (run-lifecycle.md, "States and transitions").
*/
const ERROR_CATALOGUE = {
	invalid_request: {
		status: 400,
		retryable: false,
		runState: "FAILED",
		title: "The request is not valid."
	},
	integration_not_configured: {
		status: 400,
		retryable: false,
		runState: "FAILED",
		title: "The integration is not configured."
	},
	authentication_required: {
		status: 401,
		retryable: false,
		runState: "ERROR",
		title: "A valid API key is required."
	},
	external_authentication_required: {
		status: 401,
		retryable: false,
		runState: "FAILED",
		title: "An external account must be linked first."
	},
	not_authorized: {
		status: 403,
		retryable: false,
		runState: "FAILED",
		title: "This key may not do that."
	},
	feature_not_available: {
		status: 403,
		retryable: false,
		runState: "FAILED",
		title: "This feature is switched off here."
	},
	insufficient_credits: {
		status: 403,
		retryable: false,
		runState: "FAILED",
		title: "There are no credits left."
	},
	budget_exceeded: {
		status: 403,
		retryable: false,
		runState: "FAILED",
		title: "The spending limit is reached."
	},
	integration_disabled: {
		status: 403,
		retryable: false,
		runState: "FAILED",
		title: "The integration is disabled."
	},
	content_policy_violation: {
		status: 403,
		retryable: false,
		runState: "FAILED",
		title: "The request was refused."
	},
	resource_not_found: {
		status: 404,
		retryable: false,
		runState: "FAILED",
		title: "There is nothing here, or nothing this key may see."
	},
	method_not_allowed: {
		status: 405,
		retryable: false,
		runState: "FAILED",
		title: "This method is not supported here."
	},
	conflict: {
		status: 409,
		retryable: true,
		runState: "FAILED",
		title: "The request conflicts with the current state."
	},
	payload_too_large: {
		status: 413,
		retryable: false,
		runState: "FAILED",
		title: "The request body is too large."
	},
	unsupported_media_type: {
		status: 415,
		retryable: false,
		runState: "FAILED",
		title: "The request body must be JSON."
	},
	operation_not_supported: {
		status: 422,
		retryable: false,
		runState: "FAILED",
		title: "This operation is not supported for this resource."
	},
	resource_unavailable: {
		status: 429,
		retryable: true,
		runState: "ERROR",
		title: "There is no capacity right now."
	},
	environment_setup_failed: {
		status: 500,
		retryable: false,
		runState: "FAILED",
		title: "The environment could not be set up."
	},
	infrastructure_timeout: {
		status: 500,
		retryable: false,
		runState: "ERROR",
		title: "The run exceeded its time limit."
	},
	agent_process_failed: {
		status: 500,
		retryable: false,
		runState: "ERROR",
		title: "The agent process failed."
	},
	agent_stream_network_error: {
		status: 500,
		retryable: true,
		runState: "ERROR",
		title: "The connection to the model broke."
	},
	agent_stream_failure: {
		status: 500,
		retryable: true,
		runState: "ERROR",
		title: "The model reported a failure."
	},
	internal_error: {
		status: 500,
		retryable: true,
		runState: "ERROR",
		title: "Something went wrong on our side."
	},
	service_unavailable: {
		status: 503,
		retryable: true,
		runState: "ERROR",
		title: "The service is temporarily unavailable."
	}
};
const errorCodes = Object.keys(ERROR_CATALOGUE);
object({
	type: string(),
	title: string(),
	status: int(),
	error: string(),
	error_code: _enum(errorCodes),
	detail: string().optional(),
	instance: string().optional(),
	retryable: boolean().optional(),
	trace_id: string().optional(),
	/** The input field at fault, as a path such as `config.environment_id`. */
	field: string().optional()
});
// src/client/error.ts
/** Marks our errors, so that a second copy of this module (a bundled one) recognises them too. */
const BRAND = Symbol.for("runlink.client.error");
/** What all failures of a call share. An abort by the caller's own signal is not one of them. */
var ClientError = class extends RunlinkError {
	[BRAND] = true;
	context;
	constructor(code, message, context, options = {}) {
		const tries = context.tries > 1 ? ` after ${context.tries} tries` : "";
		super(code, `${context.operation}: ${message}${tries}.`, options);
		this.name = new.target.name;
		this.context = context;
	}
};
/** The service answered with an error. `code` is its machine code, `status` the HTTP status. */
var ServiceProblem = class extends ClientError {
	kind = "problem";
	answer;
	constructor(answer, context) {
		const detail = answer.detail === void 0 ? "" : ` (${answer.detail})`;
		const title = answer.title.replace(/\.$/, "");
		const hint = HINTS$1[answer.code];
		super(answer.code, `the service answered ${answer.status} ${answer.code}: ${title}${detail}`, context, hint === void 0 ? {} : { hint });
		this.answer = answer;
	}
	get status() {
		return this.answer.status;
	}
	get retryable() {
		return this.answer.retryable;
	}
	get retryAfterMs() {
		return this.answer.retryAfterMs;
	}
};
/** No answer: no connection, or a broken one. `sent` is false if the request never left. */
var NetworkFailure = class extends ClientError {
	kind = "network";
	sent;
	constructor(context, options) {
		const reason = options.cause instanceof Error ? describe(options.cause) : String(options.cause);
		super("network_failure", `the service could not be reached (${reason})`, context, {
			cause: options.cause,
			hint: "Check the base URL, the network and the proxy settings (HTTPS_PROXY, NO_PROXY)."
		});
		this.sent = options.sent;
	}
};
/** The answer was not complete within the time of one try. */
var TimeoutFailure = class extends ClientError {
	kind = "timeout";
	constructor(context, milliseconds) {
		super("timeout", `no complete answer within ${milliseconds / 1e3} s`, context);
	}
};
/** The answer is not what the interface promises. `garbled` if it is not even JSON. */
var UnreadableAnswer = class extends ClientError {
	kind = "unreadable";
	garbled;
	status;
	constructor(context, options) {
		super("unreadable_answer", `the answer cannot be read: ${options.reason}`, context, {
			cause: options.cause,
			hint: "Check that the base URL is the API of a run service and ends with its version, such as /api/v1."
		});
		this.garbled = options.garbled;
		this.status = options.status;
	}
};
const HINTS$1 = {
	authentication_required: "Check the API key (RUNLINK_API_KEY, or the input api-key).",
	not_authorized: "Use a key whose owner may do this."
};
/** The code to use for a status if the body names none. */
function codeOfStatus(status) {
	const codes = Object.entries(ERROR_CATALOGUE);
	return PREFERRED[status] ?? codes.find(([, entry]) => entry.status === status)?.[0] ?? (status >= 500 ? "internal_error" : "invalid_request");
}
/** The most general code of a status that several codes share. */
const PREFERRED = {
	403: "not_authorized",
	500: "internal_error"
};
function describe(error) {
	if (error instanceof AggregateError && error.errors[0] instanceof Error) return describe(error.errors[0]);
	return error.message || error.name;
}
function isClientError(thrown) {
	return typeof thrown === "object" && thrown !== null && BRAND in thrown;
}
/** Whether this is an error that the service answered; with `code`, whether it is that one. */
function isProblem(thrown, code) {
	if (!isClientError(thrown) || thrown.kind !== "problem") return false;
	return code === void 0 || thrown.code === code;
}
/** Whether the service may have done what was asked, though the call failed. */
function isAmbiguous(failure) {
	if (failure.kind === "network") return failure.sent;
	if (failure.kind === "problem") return failure.status >= 500 || failure.status === 408;
	return true;
}
// src/github/render/answer.ts
/** What `help` answers. */
function renderHelp(phrase, custom = []) {
	const say = (words) => `\`${phrase} ${words}\``;
	return [
		`Begin a line of a comment with \`${phrase}\`:`,
		"",
		`- ${say("<what to do>")}: start a run, or tell the run of this thread more`,
		`- ${say("new <what to do>")}: start a new run in any case`,
		`- ${say("follow <text>")}: tell the run of this thread more`,
		`- ${say("status")}, ${say("cancel")}, ${say("retry")}`,
		...custom.map(({ name, description }) => `- ${say(name)}: ${inertLine(description)}`),
		"",
		"Before the text, or at the end of the line: `--model`, `--environment`, `--skill`; on a pull request from a fork `--sha` with the commit you have read."
	].join("\n");
}
/** One line for a command that cannot be read, and one on how to go on. */
function renderProblem(problem, phrase) {
	const help = `\`${phrase} help\` shows what there is.`;
	if (problem.reason === "unknown_command") return `There is no \`${tick(problem.word)}\`. Did you mean \`${phrase} ${problem.nearest}\`? ${help}`;
	if (problem.reason === "unknown_option") return `There is no option \`${tick(problem.word)}\`. Did you mean \`${problem.nearest}\`? ${help}`;
	if (problem.reason === "option_without_value") return `\`${problem.word}\` lacks its value, as in \`${phrase} ${problem.word} <value> <what to do>\`. ${help}`;
	if (problem.reason === "too_many_commands") return `Only the first ${problem.max} commands of a text are carried out.`;
	if (problem.reason === "unreadable_text") return `The Markdown of this text takes too long to read. Write one command in a comment that begins with \`${phrase}\`: that is always read. ${help}`;
	return `Say what is to be done, as in \`${phrase} fix the failing test\`. ${help}`;
}
/** What a person who waits is told of a command that is not carried out. */
function renderRefusal(reason, detail = "") {
	const text = REASONS[reason].text;
	return `Nothing was done: ${text}.${detail === "" || detail.includes(text) ? "" : ` ${detail}`}`;
}
function tick(word) {
	return word.replaceAll("`", "");
}
// src/github/render/marker.ts
const SAFE = /[^\w.@#/:+-]/g;
/**
* First line of everything we post for a run: one comment per run and thread is found again by it,
* together with its author (threats.md G8: the text alone proves nothing).
*/
function runMarker({ runId, thread }) {
	const where = thread === void 0 ? "" : ` thread=${clean(thread)}`;
	return `<!-- runlink run=${clean(runId)}${where} -->`;
}
/** Marker of short replies, so that one is written once only. */
function noteMarker(kind, key) {
	return `<!-- runlink note=${clean(kind)} key=${clean(key)} -->`;
}
/** Whether a text begins with this marker, whatever a web editor did to its line ends. */
function hasMarker(body, marker) {
	return body.trimStart().startsWith(marker);
}
const RUN$1 = /^\s*<!-- runlink run=(\S+)(?: thread=(\S+))? -->/;
/** The run a text of ours belongs to. */
function readRunMarker(body) {
	const match = RUN$1.exec(body);
	return match?.[1] === void 0 ? void 0 : {
		runId: match[1],
		thread: match[2]
	};
}
function clean(value) {
	return value.replaceAll(SAFE, "_").replaceAll("--", "__");
}
// src/commands/answer.ts
/** Key of the one reaction that shows how a request stands. */
function reactionKey(requestId) {
	return `reaction:${requestId}`;
}
/** Key of the one answer to a request. */
function replyKey(requestId) {
	return `reply:${requestId}`;
}
/** Answers where it was asked, once per request. */
async function say(face, { id, attempt }, text) {
	const post = reply(face.event, replyKey(id), noteMarker("reply", id), text);
	if (post) await face.put(post, { mayExist: attempt > 1 });
}
/**
* Shows how a request stands by one reaction on what asked: the comment, else the issue or pull request
* itself. A later one takes the place of the earlier.
*/
async function react(face, { id, attempt }, content) {
	await putReaction(face, reactionKey(id), content, { mayExist: attempt > 1 });
}
/** Why people are refused of whom nothing is known but that they may not. */
const OF_STRANGERS = [
	"no_actor",
	"actor_mismatch",
	"actor_below_bar",
	"permission_unknown",
	"command_not_allowed"
];
/**
* Answers somebody who may not: 👎 on what they wrote and, once per person, reason and thread, one sentence
* (threats.md G1). Bots and our own comments are met with silence.
*/
async function tellRefusal(face, { reason, detail }) {
	const { event } = face;
	if (REASONS[reason].kind !== "refusal" || !event.thread) return;
	const options = { isForStranger: OF_STRANGERS.includes(reason) };
	await putReaction(face, `reaction:refused:${subjectName(event)}`, "-1", options);
	const whose = `${reason}:${event.actor?.login ?? ""}`;
	const post = reply(event, `reply:refused:${whose}:${threadName(event.repository, event.thread)}`, noteMarker("refused", whose), renderRefusal(reason, detail));
	if (post) await face.put(post, {
		...options,
		mayExist: true
	});
}
function reply({ repository, thread, comment }, key, marker, text) {
	if (!thread) return void 0;
	return {
		key,
		kind: "comment",
		repository: repositoryName(repository),
		number: thread.number,
		target: {
			marker,
			replyTo: comment?.replyTo ?? null
		},
		content: { body: `${marker}\n${cutMarkdown(text, COMMENT_MAX - marker.length - 1)}` }
	};
}
async function putReaction(face, key, content, options) {
	const { repository, thread } = face.event;
	const target = subjectOf(face.event);
	if (!thread || !target) return;
	const place = {
		key,
		repository: repositoryName(repository),
		number: thread.number
	};
	await face.put({
		...place,
		kind: "reaction",
		target,
		content: { content }
	}, options);
}
/** Undefined for the text of a review: GitHub has no reactions on it. */
function subjectOf({ comment, thread }) {
	if (comment?.kind === "comment") return {
		subject: "issue_comment",
		id: comment.id
	};
	if (comment?.kind === "review_comment") return {
		subject: "review_comment",
		id: comment.id
	};
	return comment || !thread ? void 0 : {
		subject: "issue",
		id: String(thread.number)
	};
}
function subjectName(event) {
	const { subject, id } = subjectOf(event) ?? {
		subject: "review",
		id: event.comment?.id ?? ""
	};
	return `${repositoryName(event.repository)}:${subject}:${id}`;
}
// src/github/read/limits.ts
const failure = looseObject({
	status: number(),
	message: string().default(""),
	request: looseObject({ url: string().default("") }).prefault({}),
	response: looseObject({ headers: record(string(), unknown()).default({}) }).prefault({})
});
/** GitHub: wait at least a minute where no header says how long (github.md, "Limits"). */
const LIMIT_WAIT_MS = 6e4;
/** A suspended or removed installation gives no token; it may come back. */
const NO_TOKEN_WAIT_MS = 6e5;
/** The longest GitHub's windows last; a larger number is not believed. */
const LIMIT_WAIT_MAX_MS = 36e5;
/**
* Reads a failed request the way GitHub documents its limits: `retry-after`, then the reset time,
* measured by GitHub's own clock where the answer tells it.
*/
function readRefusal(error, now) {
	const parsed = failure.safeParse(error);
	if (!parsed.success) return { kind: "again" };
	const { status, message, request, response } = parsed.data;
	if (status >= 500 || AGAIN.includes(status)) return { kind: "again" };
	if (request.url.endsWith("/access_tokens")) return {
		kind: "limit",
		waitMs: NO_TOKEN_WAIT_MS
	};
	if (status === 429 || status === 403 && isLimit(response.headers, message)) return {
		kind: "limit",
		waitMs: Math.min(limitWait(response.headers, now), LIMIT_WAIT_MAX_MS)
	};
	const detail = `${status} ${message}`.slice(0, 500);
	return {
		kind: status === 404 || status === 410 ? "gone" : "never",
		detail
	};
}
/** A token that ran out, and a request GitHub gave up waiting for. */
const AGAIN = [401, 408];
function isLimit(headers, message) {
	return headers["retry-after"] !== void 0 || headers["x-ratelimit-remaining"] === "0" || /rate limit|abuse/i.test(message);
}
function limitWait(headers, now) {
	const after = Number(headers["retry-after"]);
	if (headers["retry-after"] !== void 0 && Number.isFinite(after)) return after * 1e3;
	const reset = Number(headers["x-ratelimit-reset"]);
	if (headers["x-ratelimit-remaining"] === "0" && Number.isFinite(reset)) {
		const clock = Date.parse(String(headers["date"]));
		return Math.max(1e3, reset * 1e3 - (Number.isNaN(clock) ? now : clock));
	}
	return LIMIT_WAIT_MS;
}
// src/commands/outage.ts
/** Thrown where an answer of GitHub is needed and none came. */
var GithubUnreachable = class extends Error {
	/** What is not known for want of it. */
	reason;
	constructor(detail, cause, reason = "github_unreachable") {
		super(detail, cause === void 0 ? void 0 : { cause });
		this.name = "GithubUnreachable";
		this.reason = reason;
	}
};
// src/commands/failure.ts
const DETAIL_MAX$1 = 1e3;
/** What a failure means for whoever waits. */
function failureReason(error) {
	if (error instanceof GithubUnreachable) return error.reason;
	if (isProblem(error, "resource_not_found")) return "run_vanished";
	if (isProblem(error) && error.status < 500 && error.status !== 429) return "service_refused";
	if (isClientError(error)) return "service_unreachable";
	return error instanceof RunlinkError && isReason(error.code) ? error.code : "internal_error";
}
/** What went wrong, and what to do about it where that is known. */
function failureText(error) {
	const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : "";
	return `${isProblem(error) ? `\`${error.code}\`: ` : ""}${errorMessage(error)}${hint}`;
}
/** Tells whoever asked that it could not be done and why. */
async function tellFailure(face, asked, error) {
	const reason = failureReason(error);
	const detail = failureText(error);
	await react(face, asked, "confused");
	await say(face, asked, `This could not be done: ${REASONS[reason].text}.\n\n> ${inertLine(detail, DETAIL_MAX$1)}`);
	return {
		reason,
		detail
	};
}
function isReason(code) {
	return Object.hasOwn(REASONS, code);
}
// src/contract/endpoint.ts
/** The kinds of keys: of a person, of an agent, of a worker, of one execution of a run. */
const KEY_KINDS = [
	"personal",
	"agent",
	"worker",
	"run"
];
const PERSON = ["personal"];
const TEAM = ["personal", "agent"];
const TEAM_OR_RUN = [
	"personal",
	"agent",
	"run"
];
/** Takes runs and reports on them, and may do nothing else (threats.md S18). */
const WORKER = ["worker"];
const RUN = ["run"];
/** A key is not needed; one that is sent must be good. */
const READERS = [
	"anyone",
	"personal",
	"agent"
];
/** No key is looked at. */
const ANYONE = ["anyone"];
/** Body cap of endpoints that take a prompt. */
const PROMPT_MAX_BODY_BYTES = 8388608;
/** What any endpoint with a JSON body may answer. */
const BODY_ERRORS = [
	"invalid_request",
	"payload_too_large",
	"unsupported_media_type"
];
/** An endpoint of the table; one with a body also answers with what any body may be refused for. */
function endpoint(definition) {
	if (!definition.body) return definition;
	return {
		...definition,
		errors: [...BODY_ERRORS, ...definition.errors]
	};
}
/** The path with its parameters filled in, percent-encoded. */
function fillPath(path, params) {
	return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
}
const source = "interface.md 4.9";
const keyKind = _enum(KEY_KINDS);
/** A key as its owner may see it again: never the key itself (threats.md S1). */
const keyItem = object({
	id: uuid,
	kind: keyKind,
	name: string(),
	/** The key's first and last characters, such as `rl_4fK2` and `9xQz`. */
	prefix: string(),
	suffix: string(),
	agent_uid: string().nullable(),
	created_at: timestamp,
	last_used_at: timestamp.nullable(),
	expires_at: timestamp.nullable()
});
/** Whom a key speaks for. */
const whoami = object({
	kind: keyKind,
	key_id: string(),
	profile: userProfile,
	team: object({
		uid: string(),
		name: string()
	})
});
/** SHA-256 as base64url, as PKCE has it (RFC 7636 4.2). */
const challenge = string().regex(/^[\w-]{43}$/, "must be a SHA-256 as base64url");
const loginState = _enum([
	"pending",
	"approved",
	"denied"
]);
/** Keys over the network, and how a command line is given one by a browser; all ours. */
const accessEndpoints = {
	access: {
		whoami: endpoint({
			method: "GET",
			path: "/agent/whoami",
			summary: "Whom this key speaks for.",
			source,
			ours: true,
			callers: TEAM,
			status: 200,
			answer: whoami,
			errors: [],
			idempotent: true
		}),
		beginLogin: endpoint({
			method: "POST",
			path: "/login/requests",
			summary: "Ask for a key that a signed-in person approves in a browser.",
			source,
			ours: true,
			callers: ANYONE,
			body: object({
				/** Who asks, for the person to read, such as `ada@laptop`. */
				client: filledText(200),
				challenge
			}),
			status: 201,
			answer: object({
				login_id: uuid,
				/** To be compared by the person, such as `BCDF-GHJK`. */
				user_code: string(),
				approve_url: string(),
				expires_at: timestamp,
				interval_seconds: literal(2)
			}),
			errors: ["resource_unavailable"]
		}),
		finishLogin: endpoint({
			method: "POST",
			path: "/login/requests/{loginId}/key",
			summary: "The key, once it was approved. Asked again, the same key.",
			source,
			ours: true,
			callers: ANYONE,
			/** What the challenge is the hash of. */
			body: object({ verifier: filledText(256) }),
			status: 200,
			answer: object({
				state: loginState,
				api_key: string().optional()
			}),
			errors: ["resource_not_found"],
			idempotent: true
		})
	},
	keys: {
		list: endpoint({
			method: "GET",
			path: "/agent/keys",
			summary: "The caller's own keys and those of the team's agents.",
			source,
			ours: true,
			callers: PERSON,
			status: 200,
			answer: object({ keys: array(keyItem) }),
			errors: ["not_authorized"],
			idempotent: true
		}),
		create: endpoint({
			method: "POST",
			path: "/agent/keys",
			summary: "Make a key of one’s own, or of an agent; shown this once.",
			source,
			ours: true,
			callers: PERSON,
			body: object({
				name: filledText(100).optional(),
				agent_uid: uuid.optional()
			}),
			status: 201,
			answer: object({
				id: uuid,
				key: string()
			}),
			errors: [
				"not_authorized",
				"resource_not_found",
				"operation_not_supported"
			]
		}),
		revoke: endpoint({
			method: "DELETE",
			path: "/agent/keys/{keyId}",
			summary: "Make a key stop working at once, everywhere.",
			source,
			ours: true,
			callers: PERSON,
			status: 204,
			answer: "empty",
			errors: ["not_authorized", "resource_not_found"]
		})
	}
};
// src/contract/artifact.ts
/** interface.md 2.3. */
const artifactType = _enum([
	"PLAN",
	"PULL_REQUEST",
	"SCREENSHOT",
	"FILE",
	"EXTERNAL_REFERENCE"
]);
/** Longest URL of an EXTERNAL_REFERENCE and of its look-up (interface.md 4.6). */
const REFERENCE_URL_MAX = 2048;
const pullRequestData = object({
	url: filledText(REFERENCE_URL_MAX),
	branch: filledText(1024)
});
const externalReferenceData = object({
	reference_type: filledText(256),
	url: filledText(REFERENCE_URL_MAX),
	title: text(1024).optional(),
	metadata: record(string(), unknown()).optional()
});
/** An artifact as it stands in a run's list (interface.md 2.3). */
const artifactItem = discriminatedUnion("artifact_type", [
	object({
		artifact_type: literal("PLAN"),
		created_at: timestamp,
		data: object({
			document_uid: string(),
			artifact_uid: string().optional(),
			notebook_uid: string().optional(),
			title: string().optional(),
			url: string().optional()
		})
	}),
	object({
		artifact_type: literal("PULL_REQUEST"),
		created_at: timestamp,
		data: pullRequestData.extend({ status: _enum([
			"open",
			"draft",
			"merged",
			"closed",
			"unknown"
		]).optional() })
	}),
	object({
		artifact_type: literal("SCREENSHOT"),
		created_at: timestamp,
		data: object({
			artifact_uid: string(),
			mime_type: string(),
			description: string().optional()
		})
	}),
	object({
		artifact_type: literal("FILE"),
		created_at: timestamp,
		data: object({
			artifact_uid: string(),
			filename: string(),
			mime_type: string(),
			filepath: string().optional(),
			title: string().optional(),
			description: string().optional(),
			size_bytes: int().optional()
		})
	}),
	object({
		artifact_type: literal("EXTERNAL_REFERENCE"),
		created_at: timestamp,
		data: externalReferenceData
	})
]);
/** Body of POST /harness-support/report-artifact (interface.md 4.6). */
const reportArtifactRequest = discriminatedUnion("artifact_type", [object({
	artifact_type: literal("PULL_REQUEST"),
	data: pullRequestData
}), object({
	artifact_type: literal("EXTERNAL_REFERENCE"),
	data: externalReferenceData
})]);
const reportArtifactResponse = object({ artifact_uid: uuid });
/** Answer of GET /agent/run-by-external-reference (interface.md 4.2). */
const runByReferenceResponse = object({ run_id: string() });
const artifactHead = {
	artifact_uid: string(),
	created_at: timestamp
};
const downloadable = {
	download_url: string(),
	expires_at: timestamp,
	content_type: string(),
	description: string().optional()
};
/** Answer of GET /agent/artifacts/{artifactUid} (interface.md 2.4). */
const artifactResponse = discriminatedUnion("artifact_type", [
	object({
		...artifactHead,
		artifact_type: literal("PLAN"),
		data: object({
			document_uid: string(),
			notebook_uid: string(),
			content: string(),
			content_type: string(),
			title: string().optional(),
			url: string().optional()
		})
	}),
	object({
		...artifactHead,
		artifact_type: literal("SCREENSHOT"),
		data: object(downloadable)
	}),
	object({
		...artifactHead,
		artifact_type: literal("FILE"),
		data: object({
			...downloadable,
			filename: string(),
			/** Left out for whoever reads a public artifact without a key (interface.md 4.4). */
			filepath: string().optional(),
			title: string().optional(),
			size_bytes: int().optional()
		})
	})
]);
/** Largest file a run may leave as an artifact; ours. */
const ARTIFACT_MAX_BYTES = 1073741824;
/** Query of POST /worker/runs/{runId}/artifacts, whose body is the content. */
const uploadArtifactQuery = object({
	/** From the folder named by RUNLINK_ARTIFACTS, such as `shots/login.png`. */
	filepath: filledText(1024).refine((path) => !path.split("/").some((part) => part === "" || part === "." || part === ".."), "must be a path inside the folder"),
	/** Images become SCREENSHOT, everything else FILE (run-lifecycle.md, "Where a run works"). */
	mime_type: string().max(255).regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a MIME type such as text/plain"),
	title: text(1024).optional(),
	description: text(4096).optional()
});
/** Body and answer of PUT /agent/artifacts/{artifactUid}/visibility; ours. */
const artifactVisibility = object({ public: boolean() });
const artifactVisibilityResponse = object({
	artifact_uid: string(),
	public: boolean()
});
/** Query of a signed download link (threats.md S4). */
const downloadQuery = object({
	expires: string().max(12),
	disposition: text(4096),
	signature: string().max(128)
});
// src/contract/conversation.ts
const blockCategory = _enum([
	"command",
	"files",
	"search",
	"integration",
	"documents",
	"computer",
	"review",
	"skill"
]);
const messageId = string().optional();
/** Typed content of a message (interface.md 2.5). */
const contentBlock = discriminatedUnion("type", [
	object({
		type: literal("text"),
		text: string(),
		message_id: messageId
	}),
	object({
		type: literal("action"),
		id: string(),
		category: blockCategory,
		name: string(),
		input: record(string(), unknown()),
		message_id: messageId
	}),
	object({
		type: literal("action_result"),
		action_id: string(),
		category: blockCategory,
		name: string(),
		state: _enum([
			"running",
			"completed",
			"failed",
			"denied"
		]),
		output: record(string(), unknown()),
		message_id: messageId
	}),
	object({
		type: literal("event"),
		name: string(),
		data: record(string(), unknown()),
		message_id: messageId
	})
]);
const message = object({
	role: _enum([
		"user",
		"assistant",
		"tool",
		"system"
	]),
	content: array(contentBlock),
	message_ids: array(string()).optional(),
	timestamp: timestamp.optional()
});
const step = object({
	id: string(),
	description: string().optional(),
	summary: string().optional(),
	started_at: timestamp.optional(),
	completed_at: timestamp.optional(),
	messages: array(message),
	/** Steps inside this one, such as the work of a sub-agent. */
	get steps() {
		return array(step);
	}
});
const conversationResponse = object({
	conversation_id: string(),
	steps: array(step)
});
// src/contract/run.ts
const runState = _enum(RUN_STATES);
/** CLAIMED is public but never emitted here; as a filter it matches nothing (interface.md 3). */
const runStateFilter = _enum([...RUN_STATES, "CLAIMED"]);
const runSource = _enum([
	"API",
	"LINEAR",
	"SLACK",
	"LOCAL",
	"SCHEDULED_AGENT",
	"WEB_APP",
	"GITHUB_ACTION",
	"CLOUD_MODE",
	"CLI",
	"JIRA",
	"SELF_IMPROVEMENT",
	"GITHUB_WEBHOOK",
	"GITLAB_WEBHOOK",
	"AUTOFIX",
	"RUN_SCORER",
	"ORCHESTRATION",
	"TEAMS",
	"AZURE_DEVOPS_WEBHOOK",
	"BENCHMARK_TRIAL",
	"CREATE_BENCHMARK_TASK",
	"CUSTOM_WEBHOOK"
]);
const executionLocation = _enum(["LOCAL", "REMOTE"]);
const runMode = _enum([
	"normal",
	"plan",
	"orchestrate"
]);
/** Longest prompt, in UTF-16 units; ours, the interface is silent. */
const PROMPT_MAX = 1e6;
/** Body of POST /agent/run and POST /agent/runs (interface.md 4.2). */
const createRunRequest = object({
	prompt: text(PROMPT_MAX).optional(),
	mode: runMode.optional(),
	skill: filledText(1024).optional(),
	config: agentConfig.optional(),
	title: text(1024).optional(),
	team: boolean().optional(),
	agent_identity_uid: filledText(256).optional(),
	on_behalf_of: filledText(320).optional(),
	conversation_id: filledText(256).optional(),
	attachments: array(object({
		file_name: filledText(512),
		mime_type: _enum([
			"image/jpeg",
			"image/png",
			"image/gif",
			"image/webp"
		]),
		data: base64().max(14e6)
	})).max(5).optional(),
	parent_run_id: filledText(256).optional(),
	interactive: boolean().optional(),
	metadata: metadata.optional()
});
/** The images that a run was started with; ours. */
const listAttachmentsResponse = object({ attachments: createRunRequest.shape.attachments.unwrap() });
const createRunResponse = object({
	run_id: string(),
	task_id: string(),
	state: runState,
	at_capacity: boolean().optional()
});
/** What any service that speaks the interface must send: only `run_id` is promised (interface.md 4.2). */
const createRunAccepted = looseObject({
	run_id: string(),
	state: string().optional()
});
const runErrorCode = string();
/** Detail of a run's state (interface.md 2.1). */
const statusMessage = object({
	message: string(),
	error_code: runErrorCode.optional(),
	retryable: boolean().optional()
});
const requestUsage = object({
	inference_cost: number().optional(),
	compute_cost: number().optional(),
	platform_cost: number().optional(),
	inference_cost_usd: number().optional(),
	total_tokens: int().optional(),
	model_token_usage: array(object({
		model_id: string(),
		total_tokens: int()
	})).optional()
});
/** One execution of a run: the first, or the one that a follow-up to the ended run started; ours. */
const runExecution = object({
	/** 1 for the first; the timeline's `execution_id`. */
	execution_id: int().min(1),
	queued_at: timestamp,
	/** When its worker began; null while it waits, and where it ended before that. */
	started_at: timestamp.nullable(),
	ended_at: timestamp.nullable(),
	/** The state it ended in. */
	outcome: _enum(TERMINAL_STATES).nullable(),
	worker_id: string().optional(),
	harness: string().optional(),
	status_message: statusMessage.optional(),
	usage: requestUsage.optional()
});
/** A run as we send it (interface.md 2.1). */
const runItem = object({
	run_id: string(),
	task_id: string(),
	root_run_id: string(),
	parent_run_id: string().optional(),
	title: string(),
	prompt: string(),
	state: runState,
	status_message: statusMessage.optional(),
	created_at: timestamp,
	updated_at: timestamp,
	started_at: timestamp.nullable().optional(),
	finished_at: timestamp.nullable(),
	/** ISO 8601 duration, such as PT2M30S: how long the executions that have ended worked. */
	run_time: string().optional(),
	/** The latest, oldest first; ours. */
	executions: array(runExecution),
	source: runSource,
	execution_location: executionLocation,
	schedule: object({
		schedule_id: string(),
		schedule_name: string(),
		cron_schedule: string()
	}).optional(),
	session_id: string().optional(),
	session_link: string().optional(),
	trigger_url: string().optional(),
	creator: userProfile.optional(),
	executor: userProfile.optional(),
	request_usage: requestUsage.optional(),
	agent_config: agentConfig.optional(),
	agent_skill: object({
		name: string().optional(),
		description: string().optional(),
		full_path: string().optional()
	}).optional(),
	conversation_id: string().optional(),
	metadata: record(string(), string()).optional(),
	is_sandbox_running: boolean(),
	is_run_type_cancellable: boolean(),
	artifacts: array(artifactItem),
	scope: scope.optional()
});
/**
* A run as any service may send it: unknown states and artifact types are kept, `status_message`
* may be an object or plain text (interface.md 2.1), and only the identity is required.
*/
const runRead = looseObject({
	run_id: string(),
	state: string(),
	title: string().optional(),
	prompt: string().optional(),
	status_message: union([looseObject({
		message: string(),
		error_code: string().optional(),
		retryable: boolean().optional()
	}), string().transform((message) => ({ message }))]).nullish(),
	created_at: string().optional(),
	updated_at: string().optional(),
	started_at: string().nullish(),
	finished_at: string().nullish(),
	run_time: string().optional(),
	executions: array(looseObject({
		execution_id: int().optional(),
		queued_at: string().optional(),
		started_at: string().nullish(),
		ended_at: string().nullish(),
		outcome: string().nullish()
	})).optional(),
	session_link: string().nullish(),
	conversation_id: string().nullish(),
	is_run_type_cancellable: boolean().optional(),
	agent_config: looseObject({
		environment_id: string().nullish(),
		model_id: string().nullish()
	}).nullish(),
	agent_skill: looseObject({ full_path: string().nullish() }).nullish(),
	creator: looseObject({ uid: string().nullish() }).nullish(),
	executor: looseObject({
		type: string().nullish(),
		uid: string().nullish()
	}).nullish(),
	request_usage: looseObject({ total_tokens: number().optional() }).nullish(),
	metadata: record(string(), string()).nullish(),
	artifacts: array(looseObject({
		artifact_type: string(),
		/** Ours: `run`, `worker` or `user`. */
		reported_by: string().optional(),
		data: looseObject({ url: string().optional() }).nullish()
	})).nullish()
});
/** Page bounds of GET /agent/runs (interface.md 6.3). */
const PAGE_LIMIT = {
	min: 1,
	max: 500,
	default: 20
};
/** Query of GET /agent/runs (interface.md 4.2). Filters combine with AND, repeated values with OR. */
const listRunsQuery = object({
	limit: int().min(PAGE_LIMIT.min).max(PAGE_LIMIT.max).default(PAGE_LIMIT.default),
	cursor: string().max(4096).optional(),
	sort_by: _enum([
		"updated_at",
		"created_at",
		"title",
		"agent"
	]).default("updated_at"),
	sort_order: _enum(["asc", "desc"]).default("desc"),
	state: array(runStateFilter).max(20).optional(),
	name: text(512).optional(),
	model_id: text(256).optional(),
	creator: text(256).optional(),
	executor: text(256).optional(),
	source: array(runSource).max(32).optional(),
	execution_location: executionLocation.optional(),
	created_after: timestamp.optional(),
	created_before: timestamp.optional(),
	updated_after: timestamp.optional(),
	environment_id: union([literal("empty-environment"), environmentId]).optional(),
	skill: skillSpec.optional(),
	skill_spec: skillSpec.optional(),
	schedule_id: text(256).optional(),
	ancestor_run_id: text(256).optional(),
	metadata: record(filledText(64), text(256)).refine((pairs) => Object.keys(pairs).length <= 5, "takes at most 5 key/value pairs").optional(),
	artifact_type: artifactType.optional(),
	q: text(1024).optional()
});
const listRunsResponse = object({
	runs: array(runItem),
	page_info: pageInfo
});
const listRunsRead = looseObject({
	runs: array(runRead),
	page_info: looseObject({
		has_next_page: boolean().optional(),
		next_cursor: string().nullish()
	}).optional()
});
/** Body of POST /agent/runs/{runId}/followups (interface.md 4.2). */
const followupRequest = object({
	message: text(PROMPT_MAX).optional(),
	mode: runMode.optional()
});
/** What became of a follow-up (run-lifecycle.md, "Follow-ups"). */
const followupOutcome = _enum([
	"live_session",
	"queued_prompt",
	"handoff_execution",
	"queue_pending"
]);
const followupResponse = object({
	followup_id: string().nullable(),
	outcome: followupOutcome
});
/** Older services answer `{}` (interface.md 4.2). */
const followupAccepted = looseObject({
	followup_id: string().nullish(),
	outcome: string().optional()
});
// src/contract/event.ts
/** Longest text of one event; the worker splits or cuts what is longer. */
const EVENT_TEXT_MAX = 65536;
/** Longest raw protocol line kept with an event; longer ones lose their middle. */
const EVENT_RAW_MAX = 131072;
const toolKind = _enum([
	"read",
	"edit",
	"delete",
	"move",
	"search",
	"execute",
	"think",
	"fetch",
	"other"
]);
const base = {
	/** Position in this execution, from 1, without gaps: what makes a second delivery harmless. */
	seq: int().min(1),
	at: timestamp,
	/** The agent's own protocol line this event was read from. */
	raw: text(EVENT_RAW_MAX).optional()
};
const eventText = text(EVENT_TEXT_MAX);
const shortText = text(4096);
/**
* One entry of a run's append-only log, as a worker reports it. Text arrives in pieces that share a
* `message_id`; tool calls are merged by `call_id`, later values winning, outputs appended.
*/
const workerEvent = discriminatedUnion("type", [
	object({
		...base,
		type: literal("message"),
		message_id: shortText,
		role: _enum(["user", "assistant"]),
		delta: eventText
	}),
	object({
		...base,
		type: literal("thought"),
		message_id: shortText,
		delta: eventText
	}),
	object({
		...base,
		type: literal("tool_call"),
		call_id: shortText,
		parent_call_id: shortText.optional(),
		kind: toolKind.optional(),
		title: shortText.optional(),
		name: shortText.optional(),
		input: record(string(), unknown()).optional(),
		status: _enum([
			"pending",
			"running",
			"completed",
			"failed",
			"denied"
		]).optional(),
		/** Appended to the call's output. */
		output_delta: eventText.optional(),
		exit_code: int().nullable().optional(),
		paths: array(shortText).max(256).optional(),
		diff: object({
			path: shortText,
			old_text: eventText.nullable(),
			new_text: eventText
		}).optional()
	}),
	object({
		...base,
		type: literal("plan"),
		entries: array(object({
			content: eventText,
			status: shortText.optional(),
			priority: shortText.optional()
		})).max(256)
	}),
	object({
		...base,
		type: literal("permission"),
		call_id: shortText.optional(),
		title: shortText,
		decision: _enum([
			"allowed",
			"denied",
			"cancelled"
		])
	}),
	object({
		...base,
		type: literal("usage"),
		usage: requestUsage
	}),
	object({
		...base,
		type: literal("notice"),
		level: _enum([
			"info",
			"warn",
			"error"
		]),
		text: eventText
	}),
	object({
		...base,
		type: literal("setup"),
		step: string().regex(/^[a-z][a-z_]{0,39}$/),
		title: shortText,
		started_at: timestamp,
		finished_at: timestamp.optional(),
		is_error: boolean().optional(),
		output: eventText.optional()
	}),
	object({
		...base,
		type: literal("agent_started"),
		harness: shortText,
		version: shortText.optional(),
		sandbox: shortText.optional()
	}),
	object({
		...base,
		type: literal("changes"),
		base_sha: shortText,
		head_sha: shortText.optional(),
		files: array(object({
			path: shortText,
			status: _enum([
				"added",
				"modified",
				"deleted",
				"renamed"
			]),
			additions: int(),
			deletions: int()
		})).max(3e3),
		diff: text(1e6).optional()
	}),
	object({
		...base,
		type: literal("turn_end"),
		stop_reason: shortText
	}),
	object({
		...base,
		type: literal("protocol")
	})
]);
const timelineEventType = _enum([
	"oz_run_created",
	"oz_run_claimed",
	"worker_container_ready",
	"shared_session_started",
	"agent_started",
	"oz_run_done",
	"oz_run_blocked",
	"oz_run_cancelled",
	"oz_run_failed",
	"oz_run_errored",
	"vm_shutdown"
]);
const timelineEvent = object({
	event_uuid: uuid,
	run_id: string(),
	/**
	* A public type, or one of ours for a step of the environment's set-up:
	* `setup_<step>` with payload {start_ts, finish_ts, latency_ms, is_error} (interface.md 2.6).
	*/
	event_type: union([timelineEventType, string().regex(/^(setup|oz_run)_[a-z_]+$/)]),
	occurred_at: timestamp,
	/** Which execution of the run: 1 for the first, one more after each follow-up to an ended run. */
	execution_id: int().optional(),
	payload: record(string(), unknown()).optional()
});
const timelineResponse = object({ events: array(timelineEvent) });
// src/contract/entry.ts
/** What the service itself writes into a run's log, beside the worker's events. */
const lifecycleEvent = object({
	type: literal("lifecycle"),
	at: timestamp,
	event_type: timelineEvent.shape.event_type,
	payload: record(string(), unknown()).optional()
});
/** A follow-up as it was accepted, at its place in the log. */
const followupEvent = object({
	type: literal("followup"),
	at: timestamp,
	followup_id: string(),
	message: string(),
	mode: runMode.optional(),
	creator: userProfile.optional()
});
/** One line of a run's log as it is read back, without the raw protocol line. */
const logEvent = union([
	workerEvent,
	lifecycleEvent,
	followupEvent
]);
/**
* Everything the log says about one thing: a message in all its pieces, a tool call with its
* updates, or a single event. It stands where its first event stands.
*/
const runEntry = object({
	/** Place of the first event in the run's log, from 1. */
	position: int().min(1),
	/** Place of the latest event; grows while the entry does. */
	last_position: int().min(1),
	attempt: int().min(1),
	events: array(logEvent).min(1)
});
/**
* Query of GET /agent/runs/{runId}/entries. Without `after`, `before` and `from` the latest entries;
* `before` those that start before that place; `from` those that start there or later, the earliest
* of them; `after` those touched after it, and only that one
* honours `Prefer: wait`.
*/
const listEntriesQuery = object({
	after: int().min(0).optional(),
	before: int().min(1).optional(),
	from: int().min(1).optional(),
	limit: int().min(1).max(500).default(100),
	/** Only entries whose first event is of one of these types. */
	type: array(text(40)).max(16).optional()
});
/** Entries in the order they began. */
const listEntriesResponse = object({
	entries: array(runEntry),
	/** Entries that began before the first one here exist. */
	has_earlier: boolean(),
	/** Asked with `from` or `before`: entries that began after the last one here exist. */
	has_later: boolean().optional(),
	/** Where the next `after` continues: the latest place all of whose changes are in this answer. */
	next_after: int().min(0)
});
/** Body of POST /harness-support/finish-task (interface.md 4.6). */
const finishTaskRequest = object({
	success: boolean(),
	summary: text(65536)
});
// src/contract/environment.ts
/** interface.md 2.7. */
const environment = object({
	uid: environmentId,
	config: object({
		name: string().optional(),
		description: string().nullable().optional(),
		docker_image: string().optional(),
		github_repos: array(object({
			owner: string(),
			repo: string()
		})).optional(),
		setup_commands: array(string()).optional()
	}),
	last_updated: timestamp,
	setup_failed: boolean(),
	creator: userProfile.optional(),
	last_editor: userProfile.optional(),
	scope: scope.optional(),
	last_task_run_timestamp: timestamp.nullable().optional(),
	last_task_created: object({
		id: runIdentifier,
		title: string(),
		state: runState,
		created_at: timestamp,
		updated_at: timestamp,
		started_at: timestamp.nullable().optional()
	}).nullable().optional()
});
const listEnvironmentsQuery = object({ sort_by: _enum(["name", "last_updated"]).default("last_updated") });
const listEnvironmentsResponse = object({ environments: array(environment) });
/** What any service must send for us to find a repository's environment. */
const listEnvironmentsRead = looseObject({ environments: array(looseObject({
	uid: string(),
	config: looseObject({
		name: string().nullish(),
		github_repos: array(looseObject({
			owner: string(),
			repo: string()
		})).nullish()
	}).nullish()
})) });
// src/contract/connected-worker.ts
/** The workers of one host name, together (interface.md 2.10). */
const connectedWorker = object({
	worker_host: string(),
	connection_count: int(),
	connected_at: timestamp,
	last_seen_at: timestamp
});
const listWorkersResponse = object({ workers: array(connectedWorker) });
// src/contract/model.ts
/** interface.md 2.8. */
const modelProvider = _enum([
	"OPENAI",
	"ANTHROPIC",
	"GOOGLE",
	"UNKNOWN"
]);
/** Why a model may not be used (interface.md 2.8). */
const disableReason = _enum([
	"PROVIDER_OUTAGE",
	"OUT_OF_REQUESTS",
	"ADMIN_DISABLED",
	"REQUIRES_UPGRADE"
]);
const modelCost = strictObject({
	input_usd: number().min(0).meta({ description: "US dollars per million input tokens." }),
	output_usd: number().min(0).meta({ description: "US dollars per million output tokens." })
});
/**
* A model runs may name (interface.md 2.8); `cost` and `disabled` stand beside the public fields.
*/
const model = object({
	id: string(),
	display_name: string(),
	provider: modelProvider,
	vision_supported: boolean(),
	description: string().optional(),
	reasoning_level: string().optional(),
	disabled: boolean(),
	disable_reason: disableReason.optional(),
	/** US dollars per million tokens. */
	cost: object(modelCost.shape).optional()
});
const listModelsResponse = object({
	default_model_id: string(),
	models: array(model)
});
// src/contract/identity.ts
const secrets = array(object({ name: filledText(128) })).max(64).refine((list) => new Set(list.map((secret) => secret.name)).size === list.length, "must not name a secret twice");
const autoMemory = object({ enabled: boolean().default(true) });
const store = object({
	uid: filledText(256),
	access: _enum(["read_write", "read_only"]),
	instructions: text(65536).optional()
});
const memory = object({
	auto_memory: autoMemory.optional(),
	attached_stores: array(store).max(64).nullish()
});
const config = agentConfig.shape;
const credentialStrategy = _enum(["CREATOR", "EXECUTOR"]);
/** What an identity can be given, beside its name (interface.md 2.9). */
const settings = {
	description: text(4096).nullish(),
	prompt: text(262144).nullish(),
	secrets: secrets.nullish(),
	skills: array(skillSpec).max(32).nullish(),
	memory: memory.nullish(),
	default_runner_uid: text(256).nullish(),
	environment_id: union([environmentId, literal("")]).nullish(),
	base_model: text(256).nullish(),
	worker_host: text(256).nullish(),
	base_harness: text(64).nullish(),
	harness: config.harness.nullable(),
	harness_auth_secrets: config.harness_auth_secrets.nullable(),
	inference_providers: config.inference_providers.nullable(),
	mcp_servers: config.mcp_servers.nullable(),
	credential_strategy: credentialStrategy.nullish(),
	on_behalf_of_enabled: boolean().nullish()
};
/** Body of POST /agent/identities. */
const createIdentityRequest = object({
	name: filledText(256),
	...settings
});
/** Body of PUT: left out or null keeps a field, an empty value clears it, any other replaces it. */
const updateIdentityRequest = object({
	name: filledText(256).nullish(),
	...settings
});
/** An agent of a team, which runs can execute as (interface.md 2.9). */
const identity = object({
	uid: uuid,
	name: string(),
	/** Within the team's plan limit, so runs may use it (interface.md 2). */
	available: boolean(),
	created_at: timestamp,
	updated_at: timestamp,
	description: string().nullable(),
	prompt: string().nullable(),
	secrets: array(object({ name: string() })),
	skills: array(string()),
	memory: object({
		auto_memory: object({ enabled: boolean() }),
		attached_stores: array(store)
	}),
	default_runner_uid: string(),
	environment_id: string().optional(),
	base_model: string().optional(),
	worker_host: string().optional(),
	harness: config.harness,
	harness_auth_secrets: config.harness_auth_secrets,
	inference_providers: config.inference_providers,
	mcp_servers: config.mcp_servers,
	credential_strategy: credentialStrategy.optional(),
	on_behalf_of_enabled: boolean()
});
const listIdentitiesResponse = object({ agents: array(identity) });
// src/contract/schedule.ts
const fields = {
	name: filledText(512),
	/** Five fields, minute to day of week, UTC. */
	cron_schedule: filledText(256),
	prompt: text(PROMPT_MAX).optional(),
	mode: runMode.optional(),
	agent_uid: uuid.optional(),
	agent_config: agentConfig.optional(),
	/** Given to each run from now on; left out, they get none. */
	metadata: metadata.optional()
};
function needsWork(context) {
	const { prompt, agent_config: config } = context.value;
	if (prompt?.trim() || config?.skill_spec || config?.skills?.length) return;
	context.issues.push({
		code: "custom",
		path: ["prompt"],
		message: "is needed, unless agent_config names a skill",
		input: prompt
	});
}
/** Body of PUT /agent/schedules/{scheduleId}: a full replace (interface.md 4.3). */
const updateScheduleRequest = object({
	...fields,
	enabled: boolean()
}).check(needsWork);
/** Body of POST /agent/schedules (interface.md 4.3). */
const createScheduleRequest = object({
	...fields,
	enabled: boolean().default(true),
	team: boolean().optional()
}).check(needsWork);
/** A scheduled agent (interface.md 2.13). */
const schedule = object({
	id: uuid,
	name: string(),
	cron_schedule: string(),
	enabled: boolean(),
	prompt: string(),
	mode: runMode.optional(),
	created_at: timestamp,
	updated_at: timestamp,
	agent_config: agentConfig.optional(),
	agent_uid: uuid.optional(),
	metadata: record(string(), string()).optional(),
	created_by: userProfile.optional(),
	updated_by: userProfile.optional(),
	/** When it last started a run, and when it will next; `next_run` is null while paused. */
	history: object({
		last_ran: timestamp.nullable(),
		next_run: timestamp.nullable()
	}),
	/** Why the latest firing started no run. */
	last_spawn_error: string().nullable(),
	scope: scope.optional()
});
const listSchedulesResponse = object({ schedules: array(schedule) });
const deleteScheduleResponse = object({ success: boolean() });
// src/contract/team-endpoints.ts
/** Scheduled agents of a team (interface.md 4.3). */
const schedules = {
	create: endpoint({
		method: "POST",
		path: "/agent/schedules",
		summary: "Create a scheduled agent that starts runs on a cron expression.",
		source: "interface.md 4.3",
		callers: TEAM,
		body: createScheduleRequest,
		maxBodyBytes: PROMPT_MAX_BODY_BYTES,
		status: 201,
		answer: schedule,
		errors: ["not_authorized"]
	}),
	list: endpoint({
		method: "GET",
		path: "/agent/schedules",
		summary: "Scheduled agents the caller may see, by name.",
		source: "interface.md 4.3",
		callers: TEAM,
		status: 200,
		answer: listSchedulesResponse,
		errors: [],
		idempotent: true
	}),
	get: endpoint({
		method: "GET",
		path: "/agent/schedules/{scheduleId}",
		summary: "One scheduled agent: configuration, history, next run.",
		source: "interface.md 4.3",
		callers: TEAM,
		status: 200,
		answer: schedule,
		errors: ["resource_not_found"],
		idempotent: true
	}),
	update: endpoint({
		method: "PUT",
		path: "/agent/schedules/{scheduleId}",
		summary: "Replace a scheduled agent; past runs stay as they are.",
		source: "interface.md 4.3",
		callers: TEAM,
		body: updateScheduleRequest,
		maxBodyBytes: PROMPT_MAX_BODY_BYTES,
		status: 200,
		answer: schedule,
		errors: ["not_authorized", "resource_not_found"],
		idempotent: true
	}),
	delete: endpoint({
		method: "DELETE",
		path: "/agent/schedules/{scheduleId}",
		summary: "Delete a scheduled agent and stop all its future runs.",
		source: "interface.md 4.3",
		callers: TEAM,
		status: 200,
		answer: deleteScheduleResponse,
		errors: ["resource_not_found"]
	}),
	pause: endpoint({
		method: "POST",
		path: "/agent/schedules/{scheduleId}/pause",
		summary: "Start no runs until resumed.",
		source: "interface.md 4.3",
		callers: TEAM,
		status: 200,
		answer: schedule,
		errors: ["resource_not_found"],
		idempotent: true
	}),
	resume: endpoint({
		method: "POST",
		path: "/agent/schedules/{scheduleId}/resume",
		summary: "Start runs on the cron schedule again.",
		source: "interface.md 4.3",
		callers: TEAM,
		status: 200,
		answer: schedule,
		errors: ["resource_not_found"],
		idempotent: true
	})
};
/** Agents of a team (interface.md 4.5). */
const identities = {
	create: endpoint({
		method: "POST",
		path: "/agent/identities",
		summary: "Create an agent for the caller's team.",
		source: "interface.md 4.5",
		callers: PERSON,
		body: createIdentityRequest,
		status: 201,
		answer: identity,
		errors: ["not_authorized"]
	}),
	list: endpoint({
		method: "GET",
		path: "/agent/identities",
		summary: "The team's agents.",
		source: "interface.md 4.5",
		callers: TEAM,
		status: 200,
		answer: listIdentitiesResponse,
		errors: [],
		idempotent: true
	}),
	get: endpoint({
		method: "GET",
		path: "/agent/identities/{uid}",
		summary: "One agent.",
		source: "interface.md 4.5",
		callers: TEAM,
		status: 200,
		answer: identity,
		errors: ["resource_not_found"],
		idempotent: true
	}),
	update: endpoint({
		method: "PUT",
		path: "/agent/identities/{uid}",
		summary: "Change an agent: fields left out or null stay, empty ones are cleared.",
		source: "interface.md 4.5",
		callers: PERSON,
		body: updateIdentityRequest,
		status: 200,
		answer: identity,
		errors: ["not_authorized", "resource_not_found"],
		idempotent: true
	}),
	delete: endpoint({
		method: "DELETE",
		path: "/agent/identities/{uid}",
		summary: "Delete an agent and, with it, all its API keys.",
		source: "interface.md 4.5",
		callers: PERSON,
		status: 204,
		answer: "empty",
		errors: ["not_authorized", "resource_not_found"]
	})
};
/**
* Body of POST /agent/runs/{runId}/scores. Only the outer shape is checked as a whole: each verdict
* is judged on its own, so that a bad one does not block the others (interface.md 4.2).
*/
const reportScoresRequest = object({ results: array(object({
	scorer_id: int(),
	classification: string().nullish(),
	reason: string().nullish(),
	/** The judge could not evaluate: accepted, and no score is recorded. */
	failed: boolean().nullish()
})).min(1).max(256) });
const reportScoresResponse = object({ results: array(object({
	scorer_id: int(),
	status: _enum(["accepted", "rejected"]),
	error: string().optional()
})) });
/** Scores of a run, for those who may see it; ours, the interface has only the writing side. */
const listScoresResponse = object({
	run_id: string(),
	scores: array(object({
		scorer_id: int(),
		scorer_name: string(),
		attempt_status: _enum([
			"in_flight",
			"scored",
			"failed"
		]),
		attempted_at: datetime({ offset: true }),
		classification: string().nullable(),
		reason: string().nullable(),
		scored_at: datetime({ offset: true }).nullable(),
		scoring_run_id: string().nullable()
	}))
});
// src/contract/skill.ts
/** Query of GET /agent (interface.md 4.1). */
const listSkillsQuery = object({
	repo: string().max(201).regex(/^[\w.-]+\/[\w.-]+$/, "must have the form owner/repo").optional(),
	refresh: boolean().default(false),
	sort_by: _enum(["name", "last_run"]).default("name"),
	include_malformed_skills: boolean().default(false)
});
/** A skill and the places it is defined in (interface.md 2.12). */
const skillItem = object({
	name: string(),
	variants: array(object({
		/** `owner/repo:path/SKILL.md`, what `skill` of a run names. */
		id: string(),
		description: string(),
		base_prompt: string(),
		source: object({
			owner: string(),
			name: string(),
			skill_path: string(),
			worker_host: string().optional()
		}),
		environments: array(object({
			uid: string(),
			name: string()
		})),
		last_run_timestamp: timestamp.nullable(),
		/** What is wrong with the definition; only sent on request. */
		error: string().optional()
	}))
});
const listSkillsResponse = object({ agents: array(skillItem) });
/** Longest SKILL.md that is kept, in UTF-16 units; ours. */
const SKILL_TEXT_MAX = 262144;
/**
* A repository whose skills a worker shall read: the service itself fetches nothing (threats.md S6).
* `token` fences the job like a lease does a run.
*/
const skillDiscovery = object({
	discovery_id: string(),
	token: string(),
	expires_at: timestamp,
	owner: string(),
	name: string(),
	clone_url: string(),
	ref: string().optional(),
	/** Short-lived, for a private repository. */
	git_token: string().optional(),
	/** The GitHub whose tokens these are: git sends one to its host only. */
	git_api_url: string().optional()
});
/** Answer of POST /worker/skills/claim; with `Prefer: wait=N` it is held until there is one. */
const claimDiscoveryResponse = object({ discovery: skillDiscovery.nullable() });
/** Body of POST /worker/skills/{discoveryId}: every SKILL.md of the usual folders, or why not. */
const reportDiscoveryRequest = object({
	token: filledText(256),
	skills: array(object({
		/** From the root of the repository, such as `.claude/skills/review/SKILL.md`. */
		path: filledText(1024).refine((path) => !path.split("/").some((part) => part === "" || part === "." || part === ".."), "must be a path inside the repository"),
		content: text(SKILL_TEXT_MAX)
	})).max(500),
	error: text(4096).optional()
});
const reportDiscoveryResponse = object({ skills: int() });
// src/contract/statistics.ts
const statisticsGroup = _enum([
	"environment",
	"repository",
	"agent",
	"model",
	"person"
]);
/**
* Query of GET /agent/statistics. The span is widened to whole days in UTC; without `from` it is
* the 30 days that end with `to`, without `to` it ends with today.
*/
const statisticsQuery = object({
	from: timestamp.optional(),
	to: timestamp.optional(),
	/** Weeks begin on Monday. */
	bucket: _enum([
		"day",
		"week",
		"month"
	]).default("day"),
	group_by: statisticsGroup.optional()
});
/** What is counted of the runs that were created in a span and have ended. */
const figures = object({
	runs: int(),
	succeeded: int(),
	failed: int(),
	errors: int(),
	blocked: int(),
	cancelled: int(),
	/** Of those that succeeded, failed or ended by an error, the share that succeeded; null for none. */
	success_rate: number().nullable(),
	/** From start to end, to about a tenth exact; null where no run started. */
	median_seconds: number().nullable(),
	p90_seconds: number().nullable(),
	cost_usd: number(),
	total_tokens: int(),
	pull_requests: int(),
	merged_pull_requests: int()
});
const statisticsResponse = object({
	from: timestamp,
	/** The span's end, itself outside of it. */
	to: timestamp,
	bucket: statisticsQuery.shape.bucket.unwrap(),
	total: figures,
	/** Every bucket of the span, empty ones too, oldest first. */
	buckets: array(figures.extend({ start: timestamp })),
	/** With `group_by`, most runs first. `key` is null for runs that have no such thing. */
	groups: array(figures.extend({
		key: string().nullable(),
		name: string()
	})).optional(),
	/** How many runs there are in these states at this moment, whatever the span; counted up to 1,000. */
	now: object({
		queued: int(),
		working: int(),
		blocked: int()
	})
});
/** The endpoints of everything but runs and the worker protocol; part of the one table. */
const resourceEndpoints = {
	schedules,
	artifacts: {
		get: endpoint({
			method: "GET",
			path: "/agent/artifacts/{artifactUid}",
			summary: "A plan with its content, or a file with a time-limited download link.",
			source: "interface.md 4.4",
			callers: READERS,
			status: 200,
			answer: artifactResponse,
			errors: ["invalid_request", "resource_not_found"],
			idempotent: true
		}),
		download: endpoint({
			method: "GET",
			path: "/agent/artifacts/{artifactUid}/download",
			summary: "Redirect to a time-limited download of a file.",
			source: "interface.md 4.4",
			callers: READERS,
			status: 302,
			answer: "redirect",
			errors: ["invalid_request", "resource_not_found"],
			idempotent: true
		}),
		setVisibility: endpoint({
			method: "PUT",
			path: "/agent/artifacts/{artifactUid}/visibility",
			summary: "Make an artifact public, readable without a key, or private again.",
			source: "interface.md 4.4",
			ours: true,
			callers: PERSON,
			body: artifactVisibility,
			status: 200,
			answer: artifactVisibilityResponse,
			errors: ["resource_not_found"],
			idempotent: true
		}),
		upload: endpoint({
			method: "POST",
			path: "/worker/runs/{runId}/artifacts",
			summary: "Store a file of a run under its lease; the body is the content.",
			source: "interface.md 4.7",
			ours: true,
			callers: WORKER,
			query: uploadArtifactQuery,
			bodyKind: "stream",
			maxBodyBytes: ARTIFACT_MAX_BYTES,
			status: 200,
			answer: reportArtifactResponse,
			errors: [
				"invalid_request",
				"resource_not_found",
				"conflict",
				"payload_too_large",
				"service_unavailable"
			],
			idempotent: true
		}),
		content: endpoint({
			method: "GET",
			path: "/downloads/{artifactUid}",
			summary: "The content behind a signed link, where the service keeps contents itself.",
			source: "interface.md 4.8",
			ours: true,
			callers: ANYONE,
			query: downloadQuery,
			status: 200,
			answer: "stream",
			errors: [
				"invalid_request",
				"not_authorized",
				"resource_not_found",
				"service_unavailable"
			],
			idempotent: true
		})
	},
	identities,
	scores: {
		report: endpoint({
			method: "POST",
			path: "/agent/runs/{runId}/scores",
			summary: "Report verdicts on a run, with the key of the judge run dispatched to score it.",
			source: "interface.md 4.2",
			callers: RUN,
			ofOtherRun: true,
			body: reportScoresRequest,
			maxBodyBytes: PROMPT_MAX_BODY_BYTES,
			status: 200,
			alsoStatus: 206,
			answer: reportScoresResponse,
			errors: ["not_authorized", "resource_not_found"],
			idempotent: true
		}),
		list: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/scores",
			summary: "The scores of a run.",
			source: "interface.md 4.2",
			ours: true,
			callers: TEAM,
			status: 200,
			answer: listScoresResponse,
			errors: ["resource_not_found"],
			idempotent: true
		})
	},
	skills: {
		list: endpoint({
			method: "GET",
			path: "/agent",
			summary: "Agents that the environments’ repositories define as skills.",
			source: "interface.md 4.1",
			callers: TEAM,
			query: listSkillsQuery,
			status: 200,
			answer: listSkillsResponse,
			errors: ["invalid_request"],
			idempotent: true
		}),
		claimDiscovery: endpoint({
			method: "POST",
			path: "/worker/skills/claim",
			summary: "Take a repository whose skills are to be read.",
			source: "interface.md 4.7",
			ours: true,
			callers: WORKER,
			status: 200,
			answer: claimDiscoveryResponse,
			errors: ["not_authorized"],
			waits: true
		}),
		reportDiscovery: endpoint({
			method: "POST",
			path: "/worker/skills/{discoveryId}",
			summary: "Report the skills of a repository, or why they could not be read.",
			source: "interface.md 4.7",
			ours: true,
			callers: WORKER,
			body: reportDiscoveryRequest,
			maxBodyBytes: 33554432,
			status: 200,
			answer: reportDiscoveryResponse,
			errors: ["resource_not_found", "conflict"],
			idempotent: true
		})
	},
	models: { list: endpoint({
		method: "GET",
		path: "/agent/models",
		summary: "Models, which one is the default, what they cost, and why one is disabled.",
		source: "interface.md 4.1",
		callers: TEAM,
		status: 200,
		answer: listModelsResponse,
		errors: [],
		idempotent: true
	}) },
	workers: { list: endpoint({
		method: "GET",
		path: "/agent/connected-self-hosted-workers",
		summary: "Self-hosted workers of the caller's team that were heard from lately.",
		source: "interface.md 4.1",
		callers: TEAM,
		status: 200,
		answer: listWorkersResponse,
		errors: [],
		idempotent: true
	}) },
	statistics: { read: endpoint({
		method: "GET",
		path: "/agent/statistics",
		summary: "How many runs of the team ended how, how long they took and what they cost.",
		source: "interface.md 4.10",
		ours: true,
		callers: TEAM,
		query: statisticsQuery,
		status: 200,
		answer: statisticsResponse,
		errors: ["invalid_request"],
		idempotent: true
	}) },
	description: { openapi: endpoint({
		method: "GET",
		path: "/openapi.json",
		summary: "This description of the interface.",
		source: "interface.md 9",
		callers: ANYONE,
		status: 200,
		answer: record(string(), unknown()),
		errors: [],
		idempotent: true
	}) }
};
// src/contract/span.ts
/** Most spans of one answer. */
const SPANS_MAX = 2e3;
/** A piece of a run's time: waiting for a worker, a step of the set-up, the agent, a tool call, a person. */
const span = object({
	kind: _enum([
		"queue",
		"clone",
		"setup",
		"agent",
		"command",
		"waiting"
	]),
	title: string(),
	started_at: timestamp,
	/** Null while it lasts. */
	ended_at: timestamp.nullable(),
	execution_id: int(),
	/** Where it stands in the log, if it does. */
	position: int().optional(),
	failed: boolean(),
	/** How many neighbours it stands for, itself included. */
	count: int().min(1)
});
/** Query of GET /agent/runs/{runId}/spans. */
const listSpansQuery = object({ 
/** Neighbouring tool calls are told as one until all fit into this many. */
limit: int().min(1).max(SPANS_MAX).default(SPANS_MAX) });
/** In the order they began; of a very long log the tool calls of its last part. */
const listSpansResponse = object({ spans: array(span) });
/** Body of POST /worker/claim. Sent with `Prefer: wait=N`, it is held until there is a run. */
const claimRequest = object({
	/** Names this worker process. */
	worker_id: filledText(256),
	/** Present on a self-hosted worker: it takes only runs whose config names this host. */
	worker_host: filledText(256).optional(),
	/** How many more runs this worker would take now. */
	capacity: int().min(0).max(1024),
	/** Profiles this worker can run, so that the service can tell why a run waits. */
	harnesses: array(filledText(64)).max(64),
	sandbox: text(64).optional(),
	version: text(64).optional()
});
const leaseRepository = object({
	owner: string(),
	name: string(),
	clone_url: string(),
	/** The branch work starts from; the remote's default where absent. */
	ref: string().optional()
});
/** Everything a worker needs to execute one run once. */
const lease = object({
	run_id: string(),
	/** Execution number, from 1; raised by each follow-up to an ended run and each retry. */
	attempt: int().min(1),
	token: string(),
	expires_at: timestamp,
	title: string(),
	/** What the agent is told first in this execution. */
	prompt: string(),
	/** System prompt put before it, from the run's configuration. */
	base_prompt: string().optional(),
	/** Texts of the skills the run was started with, the first being the one it is listed by. */
	skills: array(object({
		name: string(),
		path: string(),
		content: string()
	})).optional(),
	mode: runMode,
	config: agentConfig,
	attachments: array(object({
		file_name: string(),
		mime_type: string(),
		data: string()
	})),
	/** `X-Warp-Cloud-Agent-ID` and bearer for the agent's own reports; dies with the run (threats.md S3). */
	run_key: string(),
	session_link: string(),
	metadata: record(string(), string()),
	/** Display name and e-mail for `Co-authored-by:`, where known. */
	requester: object({
		name: string(),
		email: string()
	}).optional(),
	environment: object({
		id: string(),
		name: string(),
		repositories: array(leaseRepository),
		setup_commands: array(string()),
		pull_request: boolean(),
		push: boolean().optional(),
		draft: boolean().optional(),
		sign_off: boolean().optional(),
		/** Names of variables the operator gives to runs here; their values are secrets. */
		variables: record(string(), string()).optional()
	}).optional(),
	/** How to push and open the pull request; the agent never sees it. */
	git: object({
		token: string().optional(),
		api_url: string(),
		author: object({
			name: string(),
			email: string()
		})
	}).optional(),
	/** What the run has used so far, in this and earlier executions. */
	used: requestUsage.optional(),
	/** What an earlier execution of this run left behind, to continue from. */
	resume: object({
		session_id: string().optional(),
		branch: string().optional(),
		pull_request_url: string().optional(),
		/** The earlier conversation in short, for an agent that cannot resume its own session. */
		summary: string().optional(),
		worker_id: string().optional()
	}).optional()
});
const claimResponse = object({ lease: lease.nullable() });
/** The lease again with a fresh git token, and where the log stands: for a restarted worker and a long run. */
const leaseResponse = object({
	lease,
	next_seq: int().min(1)
});
const acknowledgeResponse = object({ state: runState });
/** Body of a heartbeat; with `Prefer: wait=N` it is held until there is a signal. */
const heartbeatRequest = object({ after_signal: int().min(0).default(0) });
const signal = discriminatedUnion("type", [object({
	id: int(),
	type: literal("cancel")
}), object({
	id: int(),
	type: literal("followup"),
	followup_id: string(),
	message: string(),
	mode: runMode
})]);
const heartbeatResponse = object({
	expires_at: timestamp,
	signals: array(signal)
});
const appendEventsRequest = object({ events: array(workerEvent).min(1).max(500) });
/** `next_seq` is what the log still waits for: after a lost connection a worker resumes there. */
const appendEventsResponse = object({ next_seq: int().min(1) });
/** Body of POST …/complete: the one place a worker says how an execution ended. */
const completeRequest = object({
	state: _enum([
		"SUCCEEDED",
		"FAILED",
		"ERROR",
		"BLOCKED",
		"CANCELLED"
	]),
	message: text(65536),
	error_code: _enum(errorCodes).optional(),
	retryable: boolean().optional(),
	usage: requestUsage.optional(),
	session_id: text(1024).optional(),
	branch: text(1024).optional(),
	pull_request_url: text(2048).optional(),
	/** Highest signal id the worker has acted on; a newer follow-up keeps the run open. */
	last_signal: int().min(0)
});
/**
* `ended: false` means follow-ups arrived meanwhile: do them, then complete again
* (run-lifecycle.md, "Follow-ups").
*/
const completeResponse = object({
	ended: boolean(),
	state: runState,
	signals: array(signal)
});
/** Body of POST …/release: gives a run back before its agent started. */
const releaseRequest = object({ reason: filledText(1024) });
const releaseResponse = object({ state: runState });
/** How a worker takes a run under a lease and reports on it (lease.ts). */
const workerEndpoints = {
	claim: endpoint({
		method: "POST",
		path: "/worker/claim",
		summary: "Take the next run under a lease.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		body: claimRequest,
		status: 200,
		answer: claimResponse,
		errors: ["not_authorized"],
		waits: true
	}),
	acknowledge: endpoint({
		method: "POST",
		path: "/worker/runs/{runId}/acknowledge",
		summary: "Begin a claimed run: PENDING becomes INPROGRESS.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		status: 200,
		answer: acknowledgeResponse,
		errors: ["resource_not_found", "conflict"],
		idempotent: true
	}),
	lease: endpoint({
		method: "GET",
		path: "/worker/runs/{runId}/lease",
		summary: "The lease a worker holds, with a fresh git token and where its log stands.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		status: 200,
		answer: leaseResponse,
		errors: ["resource_not_found", "conflict"],
		idempotent: true
	}),
	heartbeat: endpoint({
		method: "POST",
		path: "/worker/runs/{runId}/heartbeat",
		summary: "Renew a lease and receive cancels and follow-ups.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		body: heartbeatRequest,
		status: 200,
		answer: heartbeatResponse,
		errors: ["resource_not_found", "conflict"],
		waits: true,
		idempotent: true
	}),
	appendEvents: endpoint({
		method: "POST",
		path: "/worker/runs/{runId}/events",
		summary: "Append to the run's event log; what is there already is skipped.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		body: appendEventsRequest,
		maxBodyBytes: 16777216,
		status: 200,
		answer: appendEventsResponse,
		errors: ["resource_not_found", "conflict"],
		idempotent: true
	}),
	complete: endpoint({
		method: "POST",
		path: "/worker/runs/{runId}/complete",
		summary: "Say how this execution ended.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		body: completeRequest,
		status: 200,
		answer: completeResponse,
		errors: ["resource_not_found", "conflict"],
		idempotent: true
	}),
	release: endpoint({
		method: "POST",
		path: "/worker/runs/{runId}/release",
		summary: "Give a run back before its agent started.",
		source: "interface.md 4.7",
		ours: true,
		callers: WORKER,
		body: releaseRequest,
		status: 200,
		answer: releaseResponse,
		errors: ["resource_not_found", "conflict"],
		idempotent: true
	})
};
// src/contract/endpoints.ts
const createRun = {
	method: "POST",
	summary: "Start an agent run from a prompt and an optional configuration.",
	source: "interface.md 4.2",
	callers: TEAM,
	body: createRunRequest,
	maxBodyBytes: 83886080,
	status: 200,
	answer: createRunResponse,
	accept: createRunAccepted,
	errors: [
		"not_authorized",
		"resource_not_found",
		"conflict"
	]
};
const listRuns = {
	method: "GET",
	summary: "List runs, newest change first unless asked otherwise.",
	source: "interface.md 4.2",
	callers: TEAM,
	query: listRunsQuery,
	status: 200,
	answer: listRunsResponse,
	accept: listRunsRead,
	errors: ["invalid_request", "feature_not_available"],
	waits: true,
	idempotent: true
};
const getRun = {
	method: "GET",
	summary: "One run: prompt, state, status message, session link, resolved configuration, artifacts.",
	source: "interface.md 4.2",
	callers: TEAM_OR_RUN,
	status: 200,
	answer: runItem,
	accept: runRead,
	errors: ["resource_not_found"],
	waits: true,
	idempotent: true
};
const cancelRun$1 = {
	method: "POST",
	summary: "Cancel a queued or working run; the answer is its id as a JSON string.",
	source: "interface.md 4.2, 7",
	callers: TEAM,
	status: 200,
	answer: string(),
	accept: unknown(),
	errors: [
		"invalid_request",
		"resource_not_found",
		"conflict",
		"operation_not_supported"
	],
	idempotent: true
};
/** The name by which runs were called first, still used by clients (interface.md 4.2). */
function legacy(path) {
	return {
		path,
		source: "interface.md 4.2",
		deprecated: true
	};
}
/** Every endpoint of the service, by resource. The server mounts it, the client calls it, OpenAPI prints it. */
const endpoints = {
	runs: {
		create: endpoint({
			...createRun,
			path: "/agent/runs"
		}),
		createLegacy: endpoint({
			...createRun,
			path: "/agent/run",
			deprecated: true
		}),
		list: endpoint({
			...listRuns,
			path: "/agent/runs"
		}),
		listLegacy: endpoint({
			...listRuns,
			...legacy("/agent/tasks")
		}),
		get: endpoint({
			...getRun,
			path: "/agent/runs/{runId}"
		}),
		getLegacy: endpoint({
			...getRun,
			...legacy("/agent/tasks/{runId}")
		}),
		transcript: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/transcript",
			summary: "Redirect to a time-limited download of the raw transcript.",
			source: "interface.md 4.2",
			callers: TEAM,
			status: 302,
			answer: "redirect",
			errors: ["resource_not_found"],
			idempotent: true
		}),
		transcriptContent: endpoint({
			method: "GET",
			path: "/downloads/transcripts/{runId}",
			summary: "The raw transcript behind a signed link: one JSON document per line.",
			source: "interface.md 4.8",
			ours: true,
			callers: ANYONE,
			query: downloadQuery,
			status: 200,
			answer: "stream",
			errors: [
				"invalid_request",
				"not_authorized",
				"resource_not_found"
			],
			idempotent: true
		}),
		timeline: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/timeline",
			summary: "Setup and lifecycle events of a run, oldest first.",
			source: "interface.md 4.2",
			callers: TEAM,
			status: 200,
			answer: timelineResponse,
			errors: ["resource_not_found"],
			idempotent: true
		}),
		entries: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/entries",
			summary: "A run's log in pages, its events grouped by message and tool call.",
			source: "interface.md 4.2",
			ours: true,
			callers: TEAM,
			query: listEntriesQuery,
			status: 200,
			answer: listEntriesResponse,
			errors: ["invalid_request", "resource_not_found"],
			waits: true,
			idempotent: true
		}),
		attachments: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/attachments",
			summary: "The images that a run was started with, with their content.",
			source: "interface.md 4.2",
			ours: true,
			callers: TEAM,
			status: 200,
			answer: listAttachmentsResponse,
			errors: ["resource_not_found"],
			idempotent: true
		}),
		spans: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/spans",
			summary: "Where a run's time went: queue, set-up, agent, tool calls, waiting for an answer.",
			source: "interface.md 4.2",
			ours: true,
			callers: TEAM,
			query: listSpansQuery,
			status: 200,
			answer: listSpansResponse,
			errors: ["invalid_request", "resource_not_found"],
			idempotent: true
		}),
		conversation: endpoint({
			method: "GET",
			path: "/agent/runs/{runId}/conversation",
			summary: "Messages and nested steps of a run in normalised form.",
			source: "interface.md 4.2",
			callers: TEAM,
			status: 200,
			answer: conversationResponse,
			errors: ["resource_not_found", "operation_not_supported"],
			idempotent: true
		}),
		cancel: endpoint({
			...cancelRun$1,
			path: "/agent/runs/{runId}/cancel"
		}),
		cancelLegacy: endpoint({
			...cancelRun$1,
			...legacy("/agent/tasks/{runId}/cancel")
		}),
		followup: endpoint({
			method: "POST",
			path: "/agent/runs/{runId}/followups",
			summary: "Send a message to a run: queued, working or ended.",
			source: "interface.md 4.2",
			callers: TEAM,
			body: followupRequest,
			maxBodyBytes: PROMPT_MAX_BODY_BYTES,
			status: 200,
			answer: followupResponse,
			accept: followupAccepted,
			errors: [
				"resource_not_found",
				"conflict",
				"operation_not_supported"
			]
		}),
		byExternalReference: endpoint({
			method: "GET",
			path: "/agent/run-by-external-reference",
			summary: "The run that reported this URL as an EXTERNAL_REFERENCE artifact.",
			source: "interface.md 4.2",
			callers: TEAM,
			query: object({ url: filledText(REFERENCE_URL_MAX) }),
			status: 200,
			answer: runByReferenceResponse,
			errors: ["invalid_request", "resource_not_found"],
			idempotent: true
		})
	},
	conversations: { get: endpoint({
		method: "GET",
		path: "/agent/conversations/{conversationId}",
		summary: "A conversation in normalised form.",
		source: "interface.md 4.2",
		callers: TEAM,
		status: 200,
		answer: conversationResponse,
		errors: ["resource_not_found", "operation_not_supported"],
		idempotent: true
	}) },
	environments: { list: endpoint({
		method: "GET",
		path: "/agent/environments",
		summary: "Environments the caller owns, was granted or reached by link.",
		source: "interface.md 4.1",
		callers: TEAM,
		query: listEnvironmentsQuery,
		status: 200,
		answer: listEnvironmentsResponse,
		accept: listEnvironmentsRead,
		errors: ["invalid_request"],
		idempotent: true
	}) },
	harness: {
		reportArtifact: endpoint({
			method: "POST",
			path: "/harness-support/report-artifact",
			summary: "Report a pull request or an external reference of the run named by X-Warp-Cloud-Agent-ID.",
			source: "interface.md 4.4",
			callers: TEAM_OR_RUN,
			body: reportArtifactRequest,
			status: 200,
			answer: reportArtifactResponse,
			errors: ["not_authorized", "resource_not_found"],
			idempotent: true
		}),
		finishTask: endpoint({
			method: "POST",
			path: "/harness-support/finish-task",
			summary: "Report how a run ended that its caller executes (LOCAL or GITHUB_ACTION), named by X-Warp-Cloud-Agent-ID.",
			source: "interface.md 4.6",
			callers: TEAM_OR_RUN,
			body: finishTaskRequest,
			status: 204,
			answer: "empty",
			errors: [
				"resource_not_found",
				"conflict",
				"operation_not_supported"
			],
			idempotent: true
		})
	},
	worker: workerEndpoints,
	...resourceEndpoints,
	...accessEndpoints
};
// src/contract/query-codec.ts
/** Writes a query the way `decodeQuery` reads it. */
function encodeQuery(query) {
	const params = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value === void 0 || value === null) continue;
		if (Array.isArray(value)) for (const item of value) params.append(name, String(item));
		else if (typeof value === "object") for (const [key, item] of Object.entries(value)) params.append(`${name}[${key}]`, String(item));
		else params.append(name, String(value));
	}
	return params;
}
// src/base/retry.ts
/**
* Milliseconds to wait after so many failures: any time from zero to a bound that doubles with each (full
* jitter), so that those who failed together do not come back together.
*/
function backoffMs(failures, { firstMs, longestMs }, random = Math.random) {
	return random() * Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
/** Tries until it works, the failure is final or the deadline is near; then throws the last failure. */
async function retry(attempt, { pauseMs, signal, deadline = Infinity }) {
	for (let tries = 1;; tries += 1) {
		signal?.throwIfAborted();
		try {
			return await attempt(tries);
		} catch (error) {
			const pause = pauseMs(error, tries);
			if (pause === void 0 || performance.now() + pause >= deadline) throw error;
			await sleep(pause, signal);
		}
	}
}
// src/client/retry.ts
const BACKOFF = {
	firstMs: 500,
	longestMs: 2e4
};
/** Most that is added to a wait the service named, so that callers do not all come back at once. */
const SPREAD_MS = 250;
/**
* Milliseconds to wait before the next try after so many `failures`. Where the service named a wait, that and
* a little more.
*/
function retryDelayMs(failures, retryAfterMs, random) {
	if (retryAfterMs !== void 0) return retryAfterMs + random() * SPREAD_MS;
	return backoffMs(failures, BACKOFF, random);
}
function headerText(headers, name) {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}
/** The wait that a service asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
function readRetryAfterMs(headers, now) {
	const precise = headerText(headers, "retry-after-ms")?.trim();
	if (precise && /^\d+(\.\d+)?$/.test(precise)) return Number(precise);
	const value = headerText(headers, "retry-after")?.trim();
	if (!value) return void 0;
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1e3;
	const date = Date.parse(value);
	return Number.isNaN(date) ? void 0 : Math.max(0, date - now);
}
/** `x-should-retry`, which counts more than the status. */
function readShouldRetry(headers) {
	const value = headerText(headers, "x-should-retry");
	return value === "true" ? true : value === "false" ? false : void 0;
}
/** Whether repeating this request is harmless even if it was carried out. */
function isRepeatable(endpoint) {
	return endpoint.idempotent === true || endpoint.method === "GET";
}
function problemMayPass(problem, repeatable) {
	const { status, retryable, retryAfterMs } = problem.answer;
	if (status === 429) return retryable;
	if (status === 409) return repeatable && retryAfterMs !== void 0 && retryable;
	return repeatable && retryable;
}
/**
* Whether the client repeats a failed request by itself. A request that may have been carried out
* is repeated only if a second time changes nothing. One that never arrived, or was refused for the
* moment (429), is always repeated; a conflict only if the service says when to come back.
*/
function mayRetry(endpoint, failure) {
	const repeatable = isRepeatable(endpoint);
	if (failure.kind === "problem") return problemMayPass(failure, repeatable);
	if (failure.kind === "network") return repeatable || !failure.sent;
	return repeatable && (failure.kind === "timeout" || failure.garbled);
}
// src/client/reply.ts
/** Statuses after which a retry may help even if the body does not say so. */
const PASSING = /* @__PURE__ */ new Set([
	408,
	409,
	429
]);
/** Longest part kept of an error text that is not a problem document. */
const DETAIL_MAX = 300;
const problemRead = looseObject({
	type: string().optional().catch(void 0),
	title: string().optional().catch(void 0),
	error: string().optional().catch(void 0),
	error_code: string().optional().catch(void 0),
	detail: string().optional().catch(void 0),
	field: string().optional().catch(void 0),
	trace_id: string().optional().catch(void 0),
	retryable: boolean().optional().catch(void 0)
});
function readJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
/** The code in the last segment of `type`, for bodies without `error_code` (interface.md 7.1). */
function codeOfType(type) {
	const segment = type?.split("/").at(-1)?.replaceAll("-", "_");
	return segment && /^[a-z][a-z_]{2,}$/.test(segment) ? segment : void 0;
}
/** The error for an answer with a failing status, whatever its body is. */
function readProblem(answer, context, now) {
	const body = problemRead.safeParse(readJson(answer.text)).data ?? {};
	const { status, headers } = answer;
	return new ServiceProblem({
		status,
		code: body.error_code ?? codeOfType(body.type) ?? codeOfStatus(status),
		title: body.title ?? body.error?.slice(0, DETAIL_MAX) ?? `HTTP status ${status}`,
		detail: body.detail,
		field: body.field,
		traceId: body.trace_id,
		retryable: readShouldRetry(headers) ?? body.retryable ?? (status >= 500 || PASSING.has(status)),
		retryAfterMs: readRetryAfterMs(headers, now)
	}, context);
}
/** The value of a successful answer, parsed by the endpoint's schema; throws `UnreadableAnswer`. */
function readValue(endpoint, answer, context) {
	const schema = endpoint.accept ?? endpoint.answer;
	if (typeof schema === "string") return void 0;
	const isJson = /[/+]json\b/i.test(headerText(answer.headers, "content-type") ?? "");
	const json = answer.text === "" ? void 0 : readJson(answer.text);
	const garbled = answer.text !== "" && json === void 0;
	if (garbled && isJson) throw new UnreadableAnswer(context, {
		reason: `its ${answer.text.length} characters are not JSON`,
		garbled,
		status: answer.status
	});
	const parsed = schema.safeParse(garbled ? answer.text : json);
	if (parsed.success) return parsed.data;
	throw new UnreadableAnswer(context, {
		reason: garbled ? "it is not JSON" : firstIssue(parsed.error),
		garbled,
		status: answer.status,
		cause: parsed.error
	});
}
function firstIssue(error) {
	const issue = error.issues[0];
	const where = issue?.path.map(String).join(".");
	return where ? `${where}: ${issue?.message}` : issue?.message ?? "unknown shape";
}
// src/client/send.ts
/** Default time for one try, and for all tries of a call together. */
const TRY_TIMEOUT_MS$1 = 3e4;
const DEADLINE_MS$1 = 12e4;
/** Redirects followed on the way to a download. */
const REDIRECTS_MAX = 5;
/** Error codes of connections that failed before the request was sent. */
const NEVER_SENT = /* @__PURE__ */ new Set([
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"UND_ERR_CONNECT_TIMEOUT"
]);
function codesOf(error) {
	if (!(error instanceof Error)) return [];
	const own = "code" in error && typeof error.code === "string" ? [error.code] : [];
	const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
	return [
		...own,
		...inner,
		...codesOf(error.cause)
	];
}
/** Whether a request failed before it could leave, so that sending it again has no second effect. */
function wasNeverSent(error) {
	return codesOf(error).some((code) => NEVER_SENT.has(code));
}
/** Throws our failure for whatever was thrown, or the reason of the caller's own signal. */
function explain$1(error, context, signal) {
	if (signal?.aborted) throw signal.reason;
	if (isClientError(error)) throw error;
	throw new NetworkFailure(context, {
		sent: !wasNeverSent(error),
		cause: error
	});
}
/** Follows the redirects to a download. The key is sent to the service only, never further. */
async function follow(first, firstUrl, open, context) {
	let [answer, url] = [first, firstUrl];
	for (let hops = 0; answer.statusCode >= 300 && answer.statusCode < 400; hops += 1) {
		const location = headerText(answer.headers, "location");
		await answer.body.dump();
		const next = location === void 0 ? null : URL.parse(location, url);
		if (!next || !/^https?:$/.test(next.protocol) || hops === REDIRECTS_MAX) throw new UnreadableAnswer(context, {
			reason: next ? "it redirects too often" : "it redirects without a usable address",
			garbled: false,
			status: answer.statusCode
		});
		url = next.href;
		answer = await open(url);
	}
	return answer;
}
async function readAnswer(answer) {
	return {
		status: answer.statusCode,
		headers: answer.headers,
		text: await answer.body.text()
	};
}
function isDownload(endpoint) {
	return endpoint.answer === "redirect" || endpoint.answer === "stream";
}
async function exchange(transport, call, context, signal) {
	const { method } = call.endpoint;
	const { request } = transport;
	const url = transport.baseUrl + call.path;
	const first = await request(url, {
		signal,
		method,
		headers: {
			...transport.headers,
			...call.headers,
			..."x-runlink-lease" in call.headers && { ["x-runlink-sent-at"]: (/* @__PURE__ */ new Date()).toISOString() }
		},
		body: call.body
	});
	const answer = isDownload(call.endpoint) ? await follow(first, url, (next) => request(next, { signal }), context) : first;
	const status = answer.statusCode;
	if (status === 304 || status < 300 && isDownload(call.endpoint)) {
		if (status === 304) await answer.body.dump();
		return {
			status,
			headers: answer.headers,
			value: status === 304 ? void 0 : answer.body
		};
	}
	const raw = await readAnswer(answer);
	if (status >= 400) throw readProblem(raw, context, Date.now());
	if (status >= 300) throw new UnreadableAnswer(context, {
		reason: `it redirects (${status}) where an answer was expected`,
		garbled: false,
		status
	});
	return {
		status,
		headers: raw.headers,
		value: readValue(call.endpoint, raw, context)
	};
}
/** One try, within its time. The body of a download may be read after that. */
async function tryOnce(transport, call, context, limits) {
	const { timeoutMs, signal } = limits;
	const controller = new AbortController();
	const late = () => controller.abort(new TimeoutFailure(context, timeoutMs));
	const timer = setTimeout(late, timeoutMs);
	const either = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
	try {
		return await exchange(transport, call, context, either);
	} catch (error) {
		return explain$1(controller.signal.aborted ? controller.signal.reason : error, context, signal);
	} finally {
		clearTimeout(timer);
	}
}
/** Makes a call, and repeats it where that is safe, until it succeeds or the deadline is near. */
async function send(transport, call, options) {
	const { signal, tryTimeoutMs = TRY_TIMEOUT_MS$1, waitSeconds = 0 } = options;
	const deadline = performance.now() + (options.deadlineMs ?? DEADLINE_MS$1) + waitSeconds * 1e3;
	const attempt = async (tries) => {
		const begun = performance.now();
		const left = Math.max(1, deadline - begun);
		const timeoutMs = Math.min(left, tryTimeoutMs + waitSeconds * 1e3);
		const context = {
			operation: call.operation,
			tries
		};
		const reply = await tryOnce(transport, call, context, {
			timeoutMs,
			signal
		});
		const ms = Math.round(performance.now() - begun);
		transport.log?.debug({
			...context,
			status: reply.status,
			ms
		}, "service call");
		return reply;
	};
	const pauseMs = (error, tries) => {
		const pause = pauseBeforeNextTry(transport, call, error, options);
		const code = isClientError(error) ? error.code : void 0;
		const context = {
			operation: call.operation,
			tries,
			code,
			pauseMs: pause
		};
		if (pause !== void 0) transport.log?.warn(context, "service call failed");
		return pause;
	};
	return retry(attempt, {
		pauseMs,
		signal,
		deadline
	});
}
function isStream(body) {
	return typeof body === "object" && body !== null && !(body instanceof Uint8Array);
}
/** Milliseconds until the next try; undefined if the failure is final. */
function pauseBeforeNextTry(transport, call, thrown, options) {
	if (!isClientError(thrown) || options.retry === false || isStream(call.body)) return void 0;
	if (!mayRetry(call.endpoint, thrown)) return void 0;
	const retryAfterMs = thrown.kind === "problem" ? thrown.retryAfterMs : void 0;
	return Math.round(retryDelayMs(thrown.context.tries, retryAfterMs, transport.random));
}
// src/client/connect.ts
function readBaseUrl(text) {
	const url = URL.parse(text);
	if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) throw new RunlinkError("invalid_base_url", `"${text}" is not a usable base URL.`, { hint: "Give the API address with its version, such as https://runs.example.org/api/v1." });
	return trimEnd(url.href, "/");
}
function readKey(key) {
	const trimmed = key.trim();
	if (/^[\x20-\x7e]+$/.test(trimmed)) return trimmed;
	throw new RunlinkError("invalid_api_key", trimmed === "" ? "The API key is empty." : "The API key has characters that cannot be part of a key.", { hint: "Use the key exactly as it was shown when it was created." });
}
function callHeaders(options) {
	return {
		...options.headers,
		...options.waitSeconds !== void 0 && { prefer: `wait=${options.waitSeconds}` },
		...options.etag !== void 0 && { "if-none-match": options.etag },
		...options.lease !== void 0 && { ["x-runlink-lease"]: options.lease },
		...options.run !== void 0 && { "x-warp-cloud-agent-id": options.run }
	};
}
const PATH_PARAMETER = /\{(\w+)\}/g;
/** Splits a method's arguments in the order of `Args`. What is left are the options. */
function plan(operation, endpoint, args) {
	const rest = [...args];
	const names = [...endpoint.path.matchAll(PATH_PARAMETER)].map((match) => match[1] ?? "");
	const params = Object.fromEntries(names.map((name) => [name, String(rest.shift())]));
	const stream = endpoint.bodyKind === "stream";
	const body = stream || endpoint.body ? rest.shift() : void 0;
	const search = encodeQuery((endpoint.query ? rest.shift() : {}) ?? {}).toString();
	const path = fillPath(endpoint.path, params) + (search === "" ? "" : `?${search}`);
	const json = body === void 0 ? null : JSON.stringify(body);
	return {
		call: {
			operation,
			endpoint,
			path,
			body: stream ? body : json
		},
		type: stream ? "application/octet-stream" : json === null ? void 0 : "application/json",
		options: rest.shift() ?? {}
	};
}
async function answer$1(transport, operation, endpoint, args, defaults) {
	const { call, type, options: own } = plan(operation, endpoint, args);
	const options = {
		...defaults,
		...own
	};
	const headers = {
		...type && { "content-type": type },
		...callHeaders(options)
	};
	const reply = await send(transport, {
		...call,
		headers
	}, options);
	const { etag, "preference-applied": applied } = reply.headers;
	return {
		status: reply.status,
		value: reply.value,
		etag: typeof etag === "string" ? etag : void 0,
		waited: typeof applied === "string" && /\bwait\b/.test(applied)
	};
}
/**
* A client that sends its requests with `settings.request`. Its methods throw `ServiceProblem`,
* `NetworkFailure`, `TimeoutFailure` or `UnreadableAnswer`, or the reason of the signal that was
* aborted.
*/
function connect(settings) {
	const transport = {
		baseUrl: readBaseUrl(settings.baseUrl),
		headers: {
			accept: "application/json",
			"user-agent": "runlink",
			...settings.headers,
			authorization: `Bearer ${readKey(settings.apiKey)}`
		},
		request: settings.request,
		log: settings.log,
		random: settings.random ?? Math.random
	};
	const table = endpoints;
	const resources = Object.entries(table).map(([resource, operations]) => [resource, Object.fromEntries(Object.entries(operations).map(([name, endpoint]) => {
		const call = (...args) => answer$1(transport, `${resource}.${name}`, endpoint, args, settings.defaults);
		return [name, async (...args) => (await call(...args)).value];
	}))]);
	const ask = (resource, operation, args, options = {}) => {
		const endpoint = table[resource]?.[operation];
		if (!endpoint) throw new RunlinkError("unknown_operation", `There is no operation ${resource}.${operation}.`);
		const { defaults } = settings;
		return answer$1(transport, `${resource}.${operation}`, endpoint, [...args, options], defaults);
	};
	return {
		...Object.fromEntries(resources),
		ask
	};
}
// src/action/fetch-request.ts
/**
* The client's exchange by Node's own `fetch`: undici would be half of the bundle and most of the
* start-up, and the platform brings one.
*/
const fetchRequest = async (url, { method, headers, body, signal }) => {
	const response = await fetch(url, {
		method: method ?? "GET",
		headers: headers ?? {},
		body: body instanceof Readable ? null : body ?? null,
		signal,
		redirect: "manual"
	});
	const stream = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
	return {
		statusCode: response.status,
		headers: Object.fromEntries(response.headers),
		body: Object.assign(stream, {
			text: async () => Buffer.concat(await stream.toArray()).toString("utf8"),
			dump: async () => {
				stream.destroy();
			}
		})
	};
};
// src/action/identity.ts
/** Who a workflow's own token writes as. */
const WORKFLOW_LOGIN = "github-actions[bot]";
const answer = object({ data: object({ viewer: object({ login: string() }) }) });
function createIdentity(github) {
	let known;
	const ask = async () => {
		if (!github) return WORKFLOW_LOGIN;
		try {
			const { data } = await github.request("POST /graphql", {
				baseUrl: graphqlBase(github),
				query: "query { viewer { login } }"
			});
			return answer.parse(data).data.viewer.login;
		} catch {
			return WORKFLOW_LOGIN;
		}
	};
	return {
		learn: (login) => {
			if (login !== void 0) known = Promise.resolve(login);
		},
		login: () => known ??= ask()
	};
}
// src/github/write/post.ts
/** The post without any of these secrets (threats.md G9), as JSON writes them. */
function maskPost(post, secrets) {
	const text = secrets.filter((secret) => secret.trim() !== "").map((secret) => JSON.stringify(secret).slice(1, -1)).reduce((shown, secret) => shown.replaceAll(secret, "***"), JSON.stringify(post.content));
	return {
		...post,
		content: JSON.parse(text)
	};
}
/** Writes the one check of (external id, commit): by its id, else the one that is found, else a new one. */
async function writeCheck(github, post, { remoteId, mayExist }, us) {
	const known = remoteId ?? (mayExist === false ? void 0 : await findCheck(github, post, us));
	const written = known === void 0 ? await createCheck(github, post) : await updateCheck(github, post, known);
	await addAnnotations(github, post, written.id);
	return written;
}
async function createCheck(github, post) {
	const { data } = await github.request("POST /repos/{owner}/{repo}/check-runs", {
		...splitRepository(post.repository),
		...firstAnnotations(post),
		head_sha: post.target.headSha,
		external_id: post.target.externalId
	});
	return {
		id: String(data.id),
		url: data.html_url ?? ""
	};
}
async function updateCheck(github, post, id) {
	const { data } = await github.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
		...splitRepository(post.repository),
		...firstAnnotations(post),
		check_run_id: Number(id)
	});
	return {
		id,
		url: data.html_url ?? ""
	};
}
/** The check that an earlier try left behind, told by its external id and, where we have one, our App's id. */
async function findCheck(github, { repository, target, content }, { appId }) {
	const { data } = await github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
		...splitRepository(repository),
		ref: target.headSha,
		check_name: content.name,
		filter: "all",
		...appId !== void 0 && { app_id: appId },
		per_page: 100
	});
	const [oldest] = data.check_runs.filter((check) => check.external_id === target.externalId).map((check) => Number(check.id)).toSorted((a, b) => a - b);
	return oldest === void 0 ? void 0 : String(oldest);
}
function firstAnnotations({ content }) {
	const { annotations, ...output } = content.output;
	const first = annotations?.slice(0, 50);
	return {
		...content,
		output: {
			...output,
			...first && { annotations: first }
		}
	};
}
async function addAnnotations(github, post, id) {
	const { annotations = [], title, summary } = post.content.output;
	for (let at = 50; at < annotations.length; at += 50) await github.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
		...splitRepository(post.repository),
		check_run_id: Number(id),
		output: {
			title,
			summary,
			annotations: annotations.slice(at, at + 50)
		}
	});
}
// src/github/write/comment.ts
const ON_THREAD = {
	list: "GET /repos/{owner}/{repo}/issues/{number}/comments",
	create: "POST /repos/{owner}/{repo}/issues/{number}/comments",
	update: "PATCH /repos/{owner}/{repo}/issues/comments/{id}",
	remove: "DELETE /repos/{owner}/{repo}/issues/comments/{id}"
};
const IN_REVIEW = {
	list: "GET /repos/{owner}/{repo}/pulls/{number}/comments",
	create: "POST /repos/{owner}/{repo}/pulls/{number}/comments/{replyTo}/replies",
	update: "PATCH /repos/{owner}/{repo}/pulls/comments/{id}",
	remove: "DELETE /repos/{owner}/{repo}/pulls/comments/{id}"
};
/** Says of an id that the review thread was gone, so that the comment stands on the pull request itself. */
const INSTEAD = "issue:";
const PAGE = 100;
/** More pages than any thread has; a wall against an endless answer. */
const PAGES_MAX = 100;
/** Clocks differ, some by a time zone. */
const LOOK_BACK_MS = 936e5;
/** Two of us that write at the same moment see each other's comment within this time. */
const RACE_MS = 6e4;
/**
* Writes the one comment with this marker: by its id, else the one of ours that is found, else a new one.
* When two were made at once the oldest stays. One that somebody deleted stays away (404).
*/
async function writeComment(github, post, { remoteId, mayExist }, us) {
	if (remoteId !== void 0) return updateComment(github, post, remoteId);
	if (mayExist !== false) {
		const since = mayExist === true ? void 0 : /* @__PURE__ */ new Date(mayExist.getTime() - LOOK_BACK_MS);
		const [oldest, ...younger] = await findOurs(github, post, us.login, since);
		for (const { id } of younger) await deleteComment(github, post, id);
		if (oldest?.body === post.content.body) return oldest;
		if (oldest) return updateComment(github, post, oldest.id);
	}
	return settleRace(github, post, await createComment(github, post));
}
async function deleteComment(github, post, id) {
	const { routes, parameters } = placeOf$2(post, id);
	try {
		await ask(github, routes.remove, parameters);
	} catch (error) {
		if (statusOf(error) !== 404) throw error;
	}
}
async function createComment(github, post) {
	const { body } = post.content;
	const { routes, parameters } = placeOf$2(post);
	try {
		return toStored(await ask(github, routes.create, {
			...parameters,
			body
		}));
	} catch (error) {
		if (routes !== IN_REVIEW || statusOf(error) !== 404) throw error;
	}
	const instead = {
		...parameters,
		body
	};
	const created = toStored(await ask(github, ON_THREAD.create, instead));
	return {
		...created,
		id: INSTEAD + created.id
	};
}
async function updateComment(github, post, id) {
	const { routes, parameters } = placeOf$2(post, id);
	const { body } = post.content;
	const { url } = toStored(await ask(github, routes.update, {
		...parameters,
		body
	}));
	return {
		id,
		url
	};
}
/** After a creation: if somebody of us was first, theirs stays. */
async function settleRace(github, post, created) {
	const since = /* @__PURE__ */ new Date(Date.parse(created.createdAt) - RACE_MS);
	if (Number.isNaN(since.getTime()) || created.id.startsWith(INSTEAD)) return created;
	const [oldest, ...younger] = await findOurs(github, post, async () => created.author, since);
	for (const { id } of younger) await deleteComment(github, post, id);
	return !oldest || oldest.id === created.id ? created : updateComment(github, post, oldest.id);
}
/** Our comments with the post's marker, oldest first; who we are is asked only where there are any. */
async function findOurs(github, post, login, since) {
	const { routes, parameters } = placeOf$2(post);
	const marked = [];
	for (let page = 1; page <= PAGES_MAX; page += 1) {
		const query = {
			...parameters,
			...since && { since: since.toISOString() },
			per_page: PAGE,
			page
		};
		const listed = array(unknown()).safeParse(await ask(github, routes.list, query));
		if (!listed.success) throw unreadable();
		const comments = listed.data.map(toStored);
		marked.push(...comments.filter(({ body }) => hasMarker(body, post.target.marker)));
		if (comments.length < PAGE) break;
	}
	const us = marked.length > 0 ? await login() : "";
	return marked.filter(({ author }) => sameName(author, us)).toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
}
/** Where the post is, or the comment of this id. */
function placeOf$2({ repository, number, target: { replyTo } }, id = "") {
	const isInstead = replyTo === null || id.startsWith(INSTEAD);
	const parameters = {
		...splitRepository(repository),
		number,
		replyTo
	};
	return {
		routes: isInstead ? ON_THREAD : IN_REVIEW,
		parameters: {
			...parameters,
			id: id.replace(INSTEAD, "")
		}
	};
}
const comment$1 = object({
	id: union([number(), bigint()]).transform(String),
	html_url: string().default(""),
	body: string().nullish(),
	created_at: string().default(""),
	user: object({ login: string() }).nullish()
});
/** An answer that broke off on its way looks like success without content. */
function toStored(data) {
	const read = comment$1.safeParse(data);
	if (!read.success) throw unreadable();
	const { id, html_url: url, body, created_at: createdAt, user } = read.data;
	return {
		id,
		url,
		body: body ?? "",
		createdAt,
		author: user?.login ?? ""
	};
}
function unreadable() {
	return new RunlinkError("github_unreadable", "GitHub’s answer holds no comment.");
}
// src/github/write/reaction.ts
const ROUTES = {
	issue: {
		list: "GET /repos/{owner}/{repo}/issues/{id}/reactions",
		create: "POST /repos/{owner}/{repo}/issues/{id}/reactions",
		remove: "DELETE /repos/{owner}/{repo}/issues/{id}/reactions/{reaction_id}"
	},
	issue_comment: {
		list: "GET /repos/{owner}/{repo}/issues/comments/{id}/reactions",
		create: "POST /repos/{owner}/{repo}/issues/comments/{id}/reactions",
		remove: "DELETE /repos/{owner}/{repo}/issues/comments/{id}/reactions/{reaction_id}"
	},
	review_comment: {
		list: "GET /repos/{owner}/{repo}/pulls/comments/{id}/reactions",
		create: "POST /repos/{owner}/{repo}/pulls/comments/{id}/reactions",
		remove: "DELETE /repos/{owner}/{repo}/pulls/comments/{id}/reactions/{reaction_id}"
	}
};
const reaction = object({
	id: union([number(), bigint()]).transform(String),
	user: object({ login: string() }).nullish()
});
/**
* Makes this our reaction and takes back the one it follows. GitHub answers a second time with the same
* reaction, and 404 for one that is gone, so repeating is harmless.
*/
async function writeReaction(github, post, { remoteId, mayExist }, us) {
	const { content } = post.content;
	const data = await ask(github, ROUTES[post.target.subject].create, placeOf$1(post, { content }));
	const { id, user } = reaction.parse(data);
	const earlier = remoteId ?? (mayExist !== false && content !== "eyes" ? await findEyes(github, post, us) : void 0);
	if (earlier !== void 0 && earlier !== id) await removeReaction(github, post, earlier);
	return {
		id,
		url: "",
		login: user?.login
	};
}
/** The 👀 of an earlier try that did not live to remember it. */
async function findEyes(github, post, us) {
	const query = placeOf$1(post, {
		content: "eyes",
		per_page: 100
	});
	const data = await ask(github, ROUTES[post.target.subject].list, query);
	const eyes = array(reaction).parse(data);
	const login = eyes.length > 0 ? await us.login() : "";
	return eyes.find(({ user }) => sameName(user?.login, login))?.id;
}
async function removeReaction(github, post, id) {
	const route = ROUTES[post.target.subject].remove;
	try {
		await ask(github, route, placeOf$1(post, { reaction_id: id }));
	} catch (error) {
		if (statusOf(error) !== 404) throw error;
	}
}
function placeOf$1({ repository, target }, more) {
	return {
		...splitRepository(repository),
		id: target.id,
		...more
	};
}
// src/github/write/write-post.ts
/** Makes GitHub show what the post says. What may be there already is looked for first, so that it is there once. */
async function writePost(github, post, standing, us) {
	if (post.kind === "comment") return writeComment(github, post, standing, us);
	if (post.kind === "check") return writeCheck(github, post, standing, us);
	return writeReaction(github, post, standing, us);
}
// src/action/outbox.ts
/** How often what could not be written is tried again at the end, and how long before that. */
const AGAIN_MAX = 2;
const AGAIN_PAUSE_MS = 500;
/** What people call each kind of post. */
const NAMES = {
	comment: "The comment",
	check: "The check",
	reaction: "The reaction"
};
function createOutbox(options) {
	const entries = /* @__PURE__ */ new Map();
	const recalled = /* @__PURE__ */ new Map();
	const waiting = /* @__PURE__ */ new Set();
	const behind = /* @__PURE__ */ new Set();
	const denied = /* @__PURE__ */ new Set();
	let working;
	let again = 0;
	async function write(key, entry) {
		const { github, identity, runner, secrets, onWritten } = options;
		const post = maskPost(entry.post, secrets);
		const text = JSON.stringify(post.content);
		if (text === entry.written || denied.has(key) || denied.has(post.kind)) return;
		const standing = {
			remoteId: entry.remoteId,
			mayExist: entry.mayExist
		};
		entry.mayExist = true;
		behind.delete(key);
		try {
			const written = await writePost(github, post, standing, { login: async () => identity.login() });
			if (written.login !== void 0) identity.learn(written.login);
			if (written.id !== entry.remoteId) onWritten(key, written.id);
			Object.assign(entry, {
				remoteId: written.id,
				url: written.url,
				written: text
			});
		} catch (error) {
			const { kind } = readRefusal(error, Date.now());
			if (kind === "gone") denied.add(key);
			else if (kind !== "limit" && isDenied(error)) denied.add(post.kind);
			else if (!entry.isForStranger) behind.add(key);
			runner.warning(`${NAMES[post.kind]} could not be written: ${explain(error)}`);
		}
	}
	async function work() {
		for (const key of waiting) {
			waiting.delete(key);
			const entry = entries.get(key);
			if (entry) await write(key, entry);
		}
		working = void 0;
	}
	return {
		put: async (post, { mayExist = false, isForStranger = false } = {}) => {
			const remoteId = recalled.get(post.key);
			const known = entries.get(post.key);
			if (known) known.post = post;
			else entries.set(post.key, {
				post,
				mayExist,
				isForStranger,
				remoteId
			});
			waiting.add(post.key);
			working ??= work();
		},
		recall: (key, remoteId) => void recalled.set(key, remoteId),
		settle: async () => {
			await working;
			while (behind.size > 0 && again < AGAIN_MAX) {
				again += 1;
				await sleep(AGAIN_PAUSE_MS * again);
				for (const key of behind) waiting.add(key);
				working ??= work();
				await working;
			}
		},
		urlOf: (key) => entries.get(key)?.url,
		get isBehind() {
			return behind.size > 0;
		}
	};
}
/** Where nothing can be written, for want of a token or because nothing is to be. */
function createDryOutbox(runner) {
	return {
		put: async (post) => {
			if (post.kind === "comment") runner.quote(post.content.body);
		},
		recall: () => {},
		settle: async () => {},
		urlOf: () => void 0,
		isBehind: false
	};
}
/** The token may not. */
function isDenied(error) {
	const status = statusOf(error);
	return status === 401 || status === 403;
}
function explain(error) {
	const status = statusOf(error);
	const text = firstLine(error);
	if (status === 401) return `${text} (the token is no longer valid; the outputs still hold the result)`;
	if (status === 403) return `${text} (give the job \`issues: write\`, \`pull-requests: write\` and \`checks: write\`; workflows of forks get a read-only token)`;
	return text;
}
// src/action/create-step.ts
/** Connects a prepared step to the service and to GitHub. */
async function createStep(runner, { settings, surroundings, started }, event, { signal, interrupt, early }) {
	const debug = (line) => runner.debug(line);
	const { baseUrl, apiKey, githubToken: token, timeoutMs } = settings;
	const { apiUrl } = surroundings;
	const client = connect({
		baseUrl,
		apiKey,
		headers: { "user-agent": "runlink-action" },
		request: fetchRequest,
		log: clientLog(debug)
	});
	const github = token === "" ? void 0 : (await import("./github-client.js")).createGithub({
		token,
		apiUrl,
		early,
		interrupt,
		debug
	});
	const identity = createIdentity(github);
	return {
		runner,
		settings,
		surroundings,
		client,
		github,
		identity,
		event,
		outbox: outboxOf(runner, {
			settings,
			github,
			identity
		}),
		signal,
		deadline: started + timeoutMs
	};
}
function outboxOf(runner, { settings, github, identity }) {
	if (!github || settings.dryRun) return createDryOutbox(runner);
	const secrets = [settings.apiKey, settings.githubToken];
	const onWritten = (key, remoteId) => {
		if (key.startsWith("comment:")) runner.state("comment-id", remoteId);
		if (key.startsWith("check:")) runner.state("check-id", remoteId);
	};
	return createOutbox({
		github,
		identity,
		runner,
		secrets,
		onWritten
	});
}
/** Traffic for step debugging: what was called and how it went, no bodies and no headers. */
function clientLog(debug) {
	const print = (fields, message) => debug(`service ${message} ${JSON.stringify(fields)}`);
	return {
		debug: print,
		warn: print
	};
}
// src/base/timed-thread.ts
/** Processor time of the thread that one job may take, in milliseconds: a busy machine changes nothing. */
const JOB_CPU_MS = 1e3;
/** Memory that one job may take, in MiB: 64 KB of Markdown take 40, the worst are ended by their time at 150. */
const JOB_MEMORY_MB = 192;
/** Jobs that may wait for the thread. */
const WAITING_MAX = 64;
/** A thread that had nothing to do for this long is ended: it holds some 30 MB. */
const IDLE_MS = 3e4;
/**
* A thread for work whose length strangers decide, such as parsing their Markdown: the event loop stays
* free, and a job that takes longer than `JOB_CPU_MS` is ended together with the thread (threats.md G15).
* The thread starts with the first job, and its file calls `serveJobs`.
*/
var TimedThread = class {
	#file;
	#thread;
	#current;
	#waiting = [];
	#idle;
	/** `name` of the thread's file, without ending, beside the module whose `import.meta.url` is `base`. */
	constructor(name, base) {
		this.#file = new URL(`./${name}${base.endsWith(".ts") ? ".ts" : ".js"}`, base);
	}
	/** Answers the asks of one job in their order, after the jobs before it. Never rejects. */
	async run(asks) {
		if (asks.length === 0) return { answers: [] };
		if (this.#waiting.length >= WAITING_MAX) return {
			answers: [],
			gaveUp: "busy"
		};
		return new Promise((settle) => {
			this.#waiting.push({
				asks,
				answers: [],
				settle
			});
			this.#next();
		});
	}
	#next() {
		if (this.#current) return;
		this.#current = this.#waiting.shift();
		clearTimeout(this.#idle);
		if (this.#current) {
			const isNew = this.#thread === void 0;
			this.#thread ??= this.#start();
			this.#thread.ref();
			if (!isNew) this.#begin(this.#thread, this.#current);
			return;
		}
		this.#thread?.unref();
		this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
	}
	#start() {
		const thread = new Worker(this.#file, {
			env: {},
			resourceLimits: { maxOldGenerationSizeMb: JOB_MEMORY_MB }
		});
		const isOurs = () => this.#thread === thread;
		thread.on("message", (message) => {
			if (isOurs()) this.#hear(thread, message);
		});
		thread.on("error", (error) => {
			if (!isOurs()) return;
			const isTooMuch = error.code === "ERR_WORKER_OUT_OF_MEMORY" || error instanceof RangeError;
			if (!isTooMuch) process.emitWarning(`A job of ${this.#file.pathname} broke: ${error.name}`);
			this.#giveUp(isTooMuch ? "slow" : "failed");
		});
		return thread;
	}
	#hear(thread, message) {
		const job = this.#current;
		if (!job) return;
		if ("ready" in message) return this.#begin(thread, job);
		job.answers.push(message.answer);
		if (job.answers.length === job.asks.length) this.#settle(job, { answers: job.answers });
	}
	#begin(thread, job) {
		thread.postMessage(job.asks);
		this.#watch(thread, job).catch(() => void 0);
	}
	/** Ends the job, and the thread with it, once it has used its time up. */
	async #watch(thread, job) {
		const before = await cpuMs(thread);
		for (let used = 0; used < JOB_CPU_MS; used = await cpuMs(thread) - before) {
			await setTimeout$1(Math.max(10, JOB_CPU_MS - used), void 0, { ref: false });
			if (this.#current !== job) return;
		}
		if (this.#current === job) this.#giveUp("slow");
	}
	#giveUp(gaveUp) {
		const job = this.#current;
		this.#end();
		if (job) this.#settle(job, {
			answers: job.answers,
			gaveUp
		});
	}
	#end() {
		this.#thread?.terminate();
		this.#thread = void 0;
	}
	#settle(job, outcome) {
		this.#current = void 0;
		job.settle(outcome);
		this.#next();
	}
};
async function cpuMs(thread) {
	const { user, system } = await thread.cpuUsage();
	return (user + system) / 1e3;
}
// src/github/markdown-jobs.ts
/** Strangers' commands never wait behind agents' words, nor these behind them. */
const threads = {
	read: new TimedThread("markdown-thread", import.meta.url),
	show: new TimedThread("markdown-thread", import.meta.url)
};
/** Does one job with parsed Markdown, or gives it up when it takes too long (threats.md G15). */
async function onThread(thread, ask) {
	const { answers, gaveUp } = await threads[thread].run([ask]);
	return gaveUp ? { gaveUp } : { answer: answers[0] };
}
// src/github/render/inert.ts
/** Without any of these nothing in a text means anything but its letters. */
const MEANS_SOMETHING = /[@#&<[`~\\]|:\/\/|www\.|gh-|(?:^|\s)\//i;
/**
* Text of an agent (or of anybody) that we show in our own name, made to do nothing: no mention, issue
* reference, closing word, HTML, image, link definition, marker or `/command` in it works, while it reads
* the same (threats.md G8). What cannot be proven to be so, or takes too long, comes as it is in a code
* block (threats.md G15, G19). At most `max` UTF-16 units; it stands on lines of its own.
*/
async function inert(text, max) {
	const source = text.replaceAll(/\r\n?/g, "\n").replaceAll(/[\0\uFEFF]/g, "");
	if (!MEANS_SOMETHING.test(source)) return cutMarkdown(source, max);
	const job = await onThread("show", {
		makeInert: source,
		max
	});
	return "answer" in job && job.answer && "text" in job.answer ? job.answer.text : fenced(source, max);
}
// src/github/render/state.ts
/** How each way a run can end looks on GitHub. */
const ENDINGS = {
	SUCCEEDED: {
		icon: "✅",
		words: "Done",
		conclusion: "success",
		reaction: "rocket",
		reason: "succeeded"
	},
	FAILED: {
		icon: "❌",
		words: "Failed",
		conclusion: "failure",
		reaction: "-1",
		reason: "failed"
	},
	ERROR: {
		icon: "💥",
		words: "Broken off by the service",
		conclusion: "failure",
		reaction: "-1",
		reason: "errored"
	},
	BLOCKED: {
		icon: "✋",
		words: "Waiting for an answer",
		conclusion: "neutral",
		reaction: "confused",
		reason: "blocked"
	},
	CANCELLED: {
		icon: "⏹️",
		words: "Cancelled",
		conclusion: "cancelled",
		reaction: "confused",
		reason: "cancelled"
	}
};
const WORKING = {
	QUEUED: {
		icon: "⏳",
		words: "Waiting to start"
	},
	PENDING: {
		icon: "⏳",
		words: "Starting"
	},
	INPROGRESS: {
		icon: "🔄",
		words: "Working"
	}
};
/** States we do not know count as working (interface.md 3). */
function presentState(state) {
	if (isTerminal(state)) return ENDINGS[state];
	return WORKING[state] ?? {
		icon: "🔄",
		words: "Working"
	};
}
// src/github/render/report.ts
/** Longest final message that is shown before it is folded. */
const FOLD_ABOVE = 1500;
const STATUS_MAX = 4e3;
/** Room for everything but the agent's message. */
const FRAME_MAX = 12e3;
/** Milliseconds from when it was asked for, or continued, to the end, or until now. */
function durationMs(run, now) {
	const from = Date.parse(run.executions?.at(-1)?.queued_at ?? run.created_at ?? "");
	const to = run.finished_at ? Date.parse(run.finished_at) : now.getTime();
	return Number.isFinite(from) && Number.isFinite(to) ? Math.max(0, to - from) : void 0;
}
/** The tracking comment: one per run and thread, marker first. */
async function renderComment(report) {
	const marker = runMarker({
		runId: report.run.run_id,
		thread: report.thread
	});
	return `${marker}\n${await renderBody(report, COMMENT_MAX - marker.length - 1)}`;
}
/** The report without a marker, for summaries and checks; at most `max` UTF-16 units. */
async function renderBody(report, max) {
	const frame = [
		`### ${headline(report)}`,
		"",
		facts(report),
		...await statusLines(report),
		...pullRequestLines(report)
	];
	const closing = ["", `<sub>${hint(report)}</sub>`];
	const room = max - [...frame, ...closing].join("\n").length - 200;
	const message = await messageLines(report, Math.min(room, max - FRAME_MAX));
	return [
		...frame,
		...message,
		...closing
	].join("\n");
}
function headline({ run }) {
	const { icon, words } = presentState(run.state);
	const title = inertLine(run.title ?? "", 120);
	return `${icon} ${words}${title ? `: ${title}` : ""}`;
}
/** One line: state, how long, for whom, where to look. */
function facts(report) {
	const { run, requester, now } = report;
	const ms = durationMs(run, now);
	return [
		`\`${run.state}\``,
		isTerminal(run.state) && ms !== void 0 ? formatDuration(ms) : void 0,
		requester && `asked by ${code(requester)}`,
		sessionLink(run) ? `[session](${sessionLink(run)})` : void 0,
		`run ${code(run.run_id)}`
	].filter((part) => part !== void 0 && part !== "").join(" · ");
}
/** The session's address when it is one that can be linked. */
function sessionLink(run) {
	const link = run.session_link ?? "";
	return /^https?:\/\/[^\s()<>"]+$/.test(link) ? link : void 0;
}
async function statusLines({ run, notes, finalMessage }) {
	const status = run.status_message?.message.trim() ?? "";
	const lines = notes.flatMap((note) => ["", `> ${note}`]);
	if (status === "" || status === finalMessage?.trim()) return lines;
	return [
		...lines,
		"",
		await inert(status, STATUS_MAX)
	];
}
function pullRequestLines({ pullRequests }) {
	if (pullRequests.length === 0) return [];
	const items = pullRequests.map((pull) => {
		const state = pull.state === "unknown" ? "" : ` (${pull.state})`;
		return `- ${linked(pull)}${pull.title ? ` ${inertLine(pull.title)}` : ""}${state}`;
	});
	return [
		"",
		pullRequests.length === 1 ? "**Pull request**" : "**Pull requests**",
		...items
	];
}
/** Only what is shown to be the run's is linked: a link is seen on the page that it leads to. */
function linked({ url, number, repository, isOwn }) {
	if (!isOwn) return code(url);
	const name = number === void 0 ? url : `${repository ?? ""}#${number}`;
	return /^https?:\/\/[^\s()<>"]+$/.test(url) ? `[${name}](${url})` : code(url);
}
async function messageLines({ finalMessage, run }, room) {
	const text = finalMessage?.trim() ?? "";
	if (text === "" || room < 200) return [];
	const shown = await inert(text, room);
	const wasCut = shown.length < text.length;
	const link = sessionLink(run);
	const whole = wasCut && link ? ["", `[The whole text](${link})`] : [];
	if (shown.length <= FOLD_ABOVE) return [
		"",
		shown,
		...whole
	];
	return [
		"",
		"<details><summary>What the agent says</summary>",
		"",
		shown,
		...whole,
		"",
		"</details>"
	];
}
function hint({ run, phrase, thread }) {
	if (thread === void 0) return "Runlink";
	const command = code(phrase);
	if (!isTerminal(run.state)) return `Write ${code(`${phrase} cancel`)} to stop it, ${code(`${phrase} follow …`)} to add something.`;
	if (run.state === "BLOCKED") return `Answer with ${command} and your words; the run goes on from there.`;
	if (run.state === "SUCCEEDED") return `Write ${command} and what else is to be done; the same run continues.`;
	return `Write ${code(`${phrase} retry`)} to try again, or ${command} and what to do differently.`;
}
function code(text) {
	return `\`${text.replaceAll(/[`\s]+/g, " ").trim()}\``;
}
function deservesMention(report) {
	const { run, requester, now } = report;
	if (!isTerminal(run.state) || requester === void 0) return false;
	return run.state === "BLOCKED" || (durationMs(run, now) ?? 0) > 12e4;
}
/** Finds the mention of one ending of a run again, so that it is written once. */
function mentionMarker({ run }) {
	return noteMarker("ended", `${run.run_id}:${run.finished_at ?? run.state}`);
}
/** The short reply that calls the requester: edits of the tracking comment notify nobody. */
async function renderMention(report, commentUrl) {
	const { run, requester = "" } = report;
	const { icon, words } = presentState(run.state);
	const status = run.state === "BLOCKED" ? run.status_message?.message.trim() ?? "" : "";
	const pulls = report.pullRequests.map(linked).join(", ");
	const details = commentUrl ? ` [Details](${commentUrl}).` : "";
	const line = `@${requester.replaceAll(/[^\w-]/g, "")} ${icon} ${words}${pulls ? `: ${pulls}` : ""}.${details}`;
	const question = status ? `\n\n${await inert(status, STATUS_MAX)}` : "";
	return `${mentionMarker(report)}\n${line}${question}`;
}
function endingReaction(state) {
	return isTerminal(state) ? ENDINGS[state].reaction : "eyes";
}
// src/action/outputs.ts
/** Every output of the Action, in the order of action.yml. A contract test holds both together. */
const OUTPUTS = {
	"run-id": "Id of the run.",
	state: "State of the run when the step ended.",
	conclusion: "How the step ended: success, failure, neutral, cancelled, timed_out or skipped.",
	"reason-code": "Why it ended so: a stable code of the documentation’s list.",
	"final-message": "The agent’s last message.",
	"session-link": "Page of the run.",
	"status-message": "What the service says about the state.",
	"error-code": "The service’s error code, of a run that did not succeed.",
	retryable: "Whether a new run may succeed where this one did not: true, false or empty.",
	"pull-request-url": "The run’s first pull request.",
	"pull-request-urls": "All of its pull requests, as a JSON array.",
	artifacts: "The run’s artifacts, as JSON.",
	"comment-url": "The comment about the run.",
	"check-run-url": "The check about the run.",
	"duration-seconds": "From the run’s creation to its end, in whole seconds.",
	usage: "Cost and tokens as the service tells them, as JSON.",
	skipped: "true when nothing was to be done.",
	result: "All of the above as one JSON object, with `version`."
};
// src/action/outcome.ts
/** An end without a run: what was skipped or refused is green, what broke is red. */
function endWithout(reason, detail) {
	const { kind, text } = REASONS[reason];
	const failed = kind === "failure" || reason === "permission_unknown" || reason === "head_unknown";
	return {
		reason,
		conclusion: failed ? "failure" : kind === "done" ? "success" : "skipped",
		fails: failed,
		message: detail ?? `${text}.`
	};
}
/** The end of a run that was waited for. */
function endOfRun(run, failOn) {
	if (!isTerminal(run.state)) return {
		...endWithout("started"),
		conclusion: "neutral",
		run
	};
	const { reason, conclusion, words } = ENDINGS[run.state];
	const [line = ""] = (run.status_message?.message.trim() ?? "").split("\n", 1);
	return {
		reason,
		conclusion,
		fails: failOn.includes(run.state),
		message: `${words}: ${line || REASONS[reason].text}`,
		run
	};
}
/** The values of all outputs; an empty string where there is nothing to say. */
function outputsOf(outcome, now) {
	const values = {
		...endingOutputs(outcome),
		...runOutputs(outcome.run, now)
	};
	const pairs = Object.keys(OUTPUTS).map((name) => [name, values[name] ?? ""]);
	const result = {
		version: 1,
		...Object.fromEntries(pairs.map(resultEntry))
	};
	return {
		...Object.fromEntries(pairs),
		result: JSON.stringify(result)
	};
}
function endingOutputs(outcome) {
	const urls = (outcome.pullRequests ?? []).map((pull) => pull.url);
	return {
		conclusion: outcome.conclusion,
		"reason-code": outcome.reason,
		"final-message": outcome.finalMessage ?? "",
		"pull-request-url": urls[0] ?? "",
		"pull-request-urls": JSON.stringify(urls),
		"comment-url": outcome.commentUrl ?? "",
		"check-run-url": outcome.checkUrl ?? "",
		skipped: String(outcome.conclusion === "skipped")
	};
}
function runOutputs(run, now) {
	if (!run) return { artifacts: "[]" };
	const status = run.status_message;
	return {
		"run-id": run.run_id,
		state: run.state,
		"session-link": sessionLink(run) ?? "",
		"status-message": status?.message ?? "",
		"error-code": status?.error_code ?? "",
		retryable: status?.retryable === void 0 ? "" : String(status.retryable),
		artifacts: JSON.stringify(run.artifacts ?? []),
		"duration-seconds": seconds(run, now),
		usage: run.request_usage ? JSON.stringify(run.request_usage) : ""
	};
}
function seconds(run, now) {
	const ms = isTerminal(run.state) ? durationMs(run, now) : void 0;
	return ms === void 0 ? "" : String(Math.round(ms / 1e3));
}
const JSON_OUTPUTS = [
	"pull-request-urls",
	"artifacts",
	"usage"
];
/** In `result` values have their types and names their underscores. */
function resultEntry([name, value]) {
	const key = name.replaceAll("-", "_");
	if (name === "result") return ["version", 1];
	if (value === "") return [key, null];
	if (JSON_OUTPUTS.includes(name)) return [key, JSON.parse(value)];
	if (name === "skipped" || name === "retryable") return [key, value === "true"];
	return [key, name === "duration-seconds" ? Number(value) : value];
}
// src/client/pages.ts
/** Every run that matches the query, page after page. Pages are asked for as they are read. */
async function* allRuns(client, query = {}, options = {}) {
	let cursor = query.cursor;
	do {
		const page = await client.runs.list({
			...query,
			cursor
		}, options);
		yield* page.runs;
		const next = nextCursor(page);
		if (next !== void 0 && next === cursor) throw new UnreadableAnswer({
			operation: "runs.list",
			tries: 1
		}, {
			reason: "the cursor of the next page leads to the same page",
			garbled: false,
			status: 200
		});
		cursor = next;
	} while (cursor !== void 0);
}
/** The cursor of the next page; undefined on the last one (interface.md 6.3). */
function nextCursor(page) {
	const { has_next_page: more, next_cursor: next } = page.page_info ?? {};
	return more === false || page.runs.length === 0 || !next ? void 0 : next;
}
// src/github/read/pull-requests.ts
const PULL_REQUEST_PATH = /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)(?:\/|$)/;
/** Owner, repository and number of a pull request's page; any host, for GHES. */
function readPullRequestUrl(url) {
	const parsed = URL.parse(url);
	const [, owner, repo, number] = (parsed && PULL_REQUEST_PATH.exec(parsed.pathname)) ?? [];
	if (!owner || !repo || !number) return void 0;
	return {
		owner,
		repo,
		number: Number(number)
	};
}
/** The one spelling of a pull request's page: no tail, query or fragment. */
function canonicalPullRequestUrl(url) {
	const place = readPullRequestUrl(url);
	const parsed = URL.parse(url);
	if (!place || !parsed) return url;
	return `${parsed.origin}/${place.owner}/${place.repo}/pull/${place.number}`;
}
/** URLs of the run's PULL_REQUEST artifacts, in order, each once. */
function artifactPullRequests(run) {
	const urls = (run.artifacts ?? []).filter((artifact) => artifact.artifact_type === "PULL_REQUEST").flatMap((artifact) => artifact.data?.url ? [canonicalPullRequestUrl(artifact.data.url)] : []);
	return [...new Set(urls)];
}
/** A pull request of which nothing is known but that a run names it. */
function claimedPullRequest(url) {
	const place = readPullRequestUrl(url);
	const repository = place && `${place.owner}/${place.repo}`;
	return {
		url,
		number: place?.number,
		repository,
		title: void 0,
		state: "unknown",
		isOwn: false
	};
}
/**
* The pull requests of a run: those it names as artifacts, else those in this repository that are shown to be
* its own; never one that is only mentioned (github.md, "Links"). What GitHub says does not exist is left out; what it
* cannot be asked about stays, as `unknown`.
*/
async function findPullRequests(github, run, { repository, authors }) {
	const urls = artifactPullRequests(run);
	if (urls.length > 0) return (await Promise.all(urls.map(async (url) => lookUp(github, url, run, authors)))).filter((pull) => pull !== void 0);
	return github && repository ? searchPullRequests(github, run, repository) : [];
}
/** How a pull request stands now; undefined where there is none. */
async function readPullRequest(github, { owner, repo, number }) {
	try {
		const { data } = await github.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
			owner,
			repo,
			pull_number: number
		});
		return toPullRequest(data);
	} catch (error) {
		if (statusOf(error) === 404) return void 0;
		throw error;
	}
}
/**
* Whether a pull request is shown to be a run's; what the run says of itself proves nothing (threats.md G17).
*
* - Its branch ends in the run's id and stands in the repository itself, where nobody pushes but the service, for
*   the run, and people who may write there; only they can open a pull request from it. Who did does not matter:
*   the service may push with a person's token.
* - Or the service says that somebody else than the run reported it.
* - Or the service does not say who reports, and one of these authors opened it there since the run began.
*/
async function isPullRequestOf(pull, run, authors) {
	if (!pull.isFork && isBranchOf(pull.headRef, run.run_id)) return true;
	const reporters = reportersOf(run, pull.url);
	if (reporters.some((by) => by !== void 0 && by !== "run")) return true;
	const isUnsaid = reporters.length > 0 && reporters.every((by) => by === void 0);
	const isLater = Date.parse(pull.createdAt) >= Date.parse(run.created_at ?? "");
	if (!isUnsaid || !isLater || pull.isFork) return false;
	return (await authors()).some((author) => sameName(author, pull.author));
}
/** Who reported a pull request as the run's, where the service says so. */
function reportersOf(run, url) {
	return (run.artifacts ?? []).filter(({ data }) => data?.url !== void 0 && canonicalPullRequestUrl(data.url) === url).map((artifact) => artifact.reported_by);
}
/** Whether a branch is named for a run. */
function isBranchOf(branch, runId) {
	return [runId, shortRunId(runId)].some((id) => endsInWord(branch, id));
}
/** The part of a run's id that its branch ends in: of a time-ordered id the last hex digits are the random ones. */
function shortRunId(runId) {
	return runId.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase().slice(-12) || "run";
}
function endsInWord(branch, word) {
	return branch.endsWith(word) && !/[A-Za-z0-9]/.test(branch.at(-word.length - 1) ?? "");
}
async function lookUp(github, url, run, authors) {
	const place = readPullRequestUrl(url);
	const claimed = claimedPullRequest(url);
	if (!github || !place) return claimed;
	try {
		const pull = await readPullRequest(github, place);
		if (!pull) return void 0;
		const { title, state } = pull;
		return {
			...claimed,
			title,
			state,
			isOwn: await isPullRequestOf(pull, run, authors)
		};
	} catch {
		return claimed;
	}
}
async function searchPullRequests(github, run, repository) {
	const { data } = await github.request("GET /repos/{owner}/{repo}/pulls", {
		owner: repository.owner,
		repo: repository.name,
		state: "all",
		sort: "created",
		direction: "desc",
		per_page: 100
	});
	return data.map(toPullRequest).filter(({ headRef, isFork }) => !isFork && isBranchOf(headRef, run.run_id)).map((pull) => ({
		...pull,
		isOwn: true
	}));
}
function toPullRequest(data) {
	const { head, base } = data;
	const repository = base.repo.full_name;
	return {
		url: data.html_url,
		number: data.number,
		repository,
		title: data.title,
		body: data.body ?? "",
		state: stateOf(data),
		author: data.user?.login,
		createdAt: data.created_at,
		headSha: head.sha,
		headRef: head.ref,
		isFork: !sameName(head.repo?.full_name, repository)
	};
}
function stateOf({ state, draft, merged_at: mergedAt }) {
	if (mergedAt) return "merged";
	if (state === "closed") return "closed";
	return draft === true ? "draft" : "open";
}
// src/commands/thread-run.ts
const LOOK_UP_WITHIN_MS = 1e4;
/** Where the service cannot filter by metadata, so many of its newest runs are looked through. */
const RUNS_MAX = 5e3;
const PAGE_SIZE = 500;
/**
* The run that work on this thread goes on with: the one that is known to be shown there, else on a pull
* request the one that reported it, else the newest that was asked for on the thread, whenever that was.
* Of the last two the newer one, should somebody have asked for another run on a run's pull request.
*/
async function findThreadRun(face) {
	const { event, remember } = face;
	if (!event.thread) return void 0;
	const known = await remember.threadRun();
	if (known) return known;
	const linked = await findLinkedRun({
		...face,
		repositoryOf: remember.repositoryOf
	});
	const asked = await askedRun(face);
	const run = linked && asked ? newer(linked, asked) : linked ?? asked;
	return run && {
		runId: run.run_id,
		state: run.state,
		request: run.metadata?.["runlink.request"]
	};
}
/** What a service answers, or nothing where it knows of no such thing. */
async function orUndefined(ask) {
	try {
		return await ask();
	} catch (error) {
		if (isProblem(error, "resource_not_found")) return void 0;
		throw error;
	}
}
/**
* The run of this pull request: the one that reported it, or that its text names, if it is shown to be its own
* (threats.md G17) and not of another account's repository.
*/
async function findLinkedRun(search) {
	const { event, github, authors } = search;
	if (event.thread?.kind !== "pull_request" || !github) return void 0;
	const { owner, name: repo } = event.repository;
	const reported = await reportedRun(search, event.thread.url);
	const pull = await readPullRequest(github, {
		owner,
		repo,
		number: event.thread.number
	});
	if (!pull) return void 0;
	if (reported && await isPullRequestOf(pull, reported, authors)) return ofAccount(search, reported);
	const named = readRunMarker(pull.body)?.runId;
	if (named === void 0 || pull.isFork || !isBranchOf(pull.headRef, named)) return void 0;
	return ofAccount(search, await readRun(search, named));
}
async function reportedRun(search, pageUrl) {
	const { service, patience } = search;
	const url = canonicalPullRequestUrl(pageUrl);
	const options = patience(LOOK_UP_WITHIN_MS);
	const found = await orUndefined(() => service.runs.byExternalReference({ url }, options));
	return found && readRun(search, found.run_id);
}
async function readRun({ service, patience }, runId) {
	return orUndefined(() => service.runs.get(runId, patience(LOOK_UP_WITHIN_MS)));
}
async function ofAccount({ event, repositoryOf }, run) {
	const repository = run && await repositoryOf(run);
	return repository === void 0 || areOfOneAccount(repository, event.repository.owner) ? run : void 0;
}
/** The newest run that was asked for on this thread, unless it is known to belong elsewhere by now. */
async function askedRun(face) {
	const { service, event, remember } = face;
	if (!event.thread) return void 0;
	const run = await newestRun(service, { "runlink.thread": threadName(event.repository, event.thread) }, face.patience(LOOK_UP_WITHIN_MS));
	const repository = run && await remember.repositoryOf(run);
	return sameName(repository, repositoryName(event.repository)) ? run : void 0;
}
/** The newest run with these metadata pairs. */
async function newestRun(service, metadata, options) {
	const order = {
		sort_by: "created_at",
		sort_order: "desc"
	};
	const matches = (run) => Object.entries(metadata).every(([key, value]) => run.metadata?.[key] === value);
	try {
		const { runs } = await service.runs.list({
			...order,
			limit: 1,
			metadata
		}, options);
		return runs.find(matches);
	} catch (error) {
		if (!isProblem(error, "feature_not_available")) throw error;
	}
	let seen = 0;
	for await (const run of allRuns(service, {
		...order,
		limit: PAGE_SIZE
	}, options)) {
		if (matches(run)) return run;
		seen += 1;
		if (seen >= RUNS_MAX) return void 0;
	}
}
/** Whether two repositories, by `owner/name` or their owners, are of the same user or organisation. */
function areOfOneAccount(one, other) {
	return sameName(one.split("/")[0], other.split("/")[0]);
}
function newer(one, other) {
	return Date.parse(other.created_at ?? "") > Date.parse(one.created_at ?? "") ? other : one;
}
// src/commands/cancel.ts
const CANCEL_WITHIN_MS$1 = 2e4;
const READ_WITHIN_MS$1 = 1e4;
/** A starting run answers 409; the next look should be soon, for PENDING is short. */
const PENDING_PAUSE_MS = 400;
const TRY_TIMEOUT_MS = 3e3;
/** The command `cancel`, answered. */
async function cancelOnCommand(face, task, runId) {
	if (face.rehearse) {
		face.rehearse({
			run_id: runId,
			cancel: true
		});
		return { reason: "dry_run" };
	}
	const { signal } = face.patience(READ_WITHIN_MS$1);
	const reason = await cancelRun(face.service, runId, {
		withinMs: CANCEL_WITHIN_MS$1,
		signal
	});
	await react(face, task, reason === "cancel_requested" ? "rocket" : "confused");
	if (reason !== "cancel_requested") await say(face, task, renderRefusal(reason, HINTS[reason]));
	const run = await orUndefined(() => face.service.runs.get(runId, face.patience(READ_WITHIN_MS$1)));
	if (run) await face.show(runId);
	return {
		reason,
		run
	};
}
const HINTS = { not_cancellable: "It executes on a machine of yours and ends there. The comment keeps showing its state." };
/**
* Cancels a run, asking again while it starts or the service stumbles; what a run in its state answers is
* an outcome, not a failure (interface.md 7). Throws the last failure when the time is over.
*/
async function cancelRun(service, runId, { withinMs, signal }) {
	const deadline = performance.now() + withinMs;
	const attempt = async () => {
		const timeout = Math.max(1, Math.min(TRY_TIMEOUT_MS, deadline - performance.now()));
		const options = {
			signal,
			retry: false,
			tryTimeoutMs: timeout,
			deadlineMs: timeout
		};
		try {
			await service.runs.cancel(runId, options);
			return "cancel_requested";
		} catch (error) {
			const outcome = readOutcome(error);
			if (outcome) return outcome;
			throw error;
		}
	};
	return retry(attempt, {
		signal,
		deadline,
		pauseMs: (error) => mayPass(error) ? PENDING_PAUSE_MS : void 0
	});
}
function readOutcome(error) {
	if (isProblem(error, "operation_not_supported")) return "not_cancellable";
	if (isProblem(error, "resource_not_found")) return "run_vanished";
	return isProblem(error) && error.status === 400 ? "run_ended" : void 0;
}
function mayPass(error) {
	return isClientError(error) && !(isProblem(error) && [401, 403].includes(error.status));
}
// src/client/create-run-once.ts
/**
* Metadata key under which a run carries the id of the request that made it
* (run-lifecycle.md, "One request, one run").
*/
const REQUEST_KEY = "runlink.request";
/** By default: how long creation is tried, and how far back a run of this request is looked for. */
const DEADLINE_MS = 12e4;
const SEEK_BACK_MS = 864e5;
/**
* The oldest run that carries this request id, if any. Where the service does not filter by
* metadata, all runs made since `since` are read.
*/
async function findRunByRequest(client, identity, options = {}) {
	const { requestId } = identity;
	const order = {
		sort_by: "created_at",
		sort_order: "asc"
	};
	try {
		const query = {
			...order,
			limit: 1,
			metadata: { [REQUEST_KEY]: requestId }
		};
		const [run] = (await client.runs.list(query, options)).runs;
		if (!run) return void 0;
		if (run.metadata?.["runlink.request"] === requestId) return {
			runId: run.run_id,
			state: run.state
		};
	} catch (error) {
		if (!isProblem(error, "feature_not_available")) throw error;
	}
	const since = identity.since ?? /* @__PURE__ */ new Date(Date.now() - SEEK_BACK_MS);
	const query = {
		...order,
		limit: 100,
		created_after: since.toISOString()
	};
	for await (const run of allRuns(client, query, options)) if (run.metadata?.["runlink.request"] === requestId) return {
		runId: run.run_id,
		state: run.state
	};
}
/**
* Starts a run exactly once, however often it is called and whatever the network does: before a
* second POST it looks for a run with this request id. Throws the last failure at the deadline.
*/
async function createRunOnce(client, request, identity, options = {}) {
	const deadline = performance.now() + (options.deadlineMs ?? DEADLINE_MS);
	const body = {
		...request,
		metadata: {
			...request.metadata,
			[REQUEST_KEY]: identity.requestId
		}
	};
	const headers = {
		...options.headers,
		"idempotency-key": identity.requestId
	};
	const left = () => Math.max(1, deadline - performance.now());
	let mayExist = identity.fresh !== true;
	const attempt = async () => {
		if (mayExist) {
			const found = await findRunByRequest(client, identity, {
				...options,
				deadlineMs: left()
			});
			if (found) return {
				runId: found.runId,
				created: false
			};
		}
		const once = {
			...options,
			headers,
			deadlineMs: left(),
			retry: false
		};
		const { run_id: runId } = await client.runs.create(body, once);
		return {
			runId,
			created: true
		};
	};
	const pauseMs = (error, failures) => {
		if (!isClientError(error) || !mayTryAgain(error)) return void 0;
		mayExist ||= isAmbiguous(error);
		return retryDelayMs(failures, error.kind === "problem" ? error.retryAfterMs : void 0, Math.random);
	};
	return retry(attempt, {
		pauseMs,
		deadline,
		signal: options.signal
	});
}
/**
* Trying again does not help after a conflict (the id was used for another request), nor when the
* answer has another shape.
*/
function mayTryAgain(failure) {
	if (failure.kind === "problem") return failure.retryable && failure.status !== 409;
	return failure.kind !== "unreadable" || failure.garbled;
}
// src/commands/run-posts.ts
/** `owner/name#12`, and which of its review threads. */
function placeName({ repository, number, replyTo }) {
	const name = `${repository}#${number}`;
	return replyTo === null ? name : `${name}/r${replyTo}`;
}
/** The one comment about a run on a thread. */
function runComment({ run_id: runId }, place, body) {
	const thread = placeName(place);
	const marker = runMarker({
		runId,
		thread
	});
	return comment(`comment:${runId}:${thread}`, marker, place, body);
}
/** The one check of a run on a commit. */
function runCheck({ run_id: runId }, { repository, headSha }, content) {
	const target = {
		headSha,
		externalId: runId
	};
	return {
		key: runCheckKey(runId, headSha),
		kind: "check",
		repository,
		number: 0,
		target,
		content
	};
}
function runCheckKey(runId, headSha) {
	return `check:${runId}:${headSha}`;
}
/** The reply that calls the requester when a run has ended: edits of the comment notify nobody. */
async function endMention(report, place, commentUrl) {
	const marker = mentionMarker(report);
	return comment(`mention:${marker}`, marker, place, await renderMention(report, commentUrl));
}
function comment(key, marker, { repository, number, replyTo }, body) {
	return {
		key,
		kind: "comment",
		repository,
		number,
		target: {
			marker,
			replyTo
		},
		content: { body }
	};
}
/**
* The check of a run: complete when the run has ended or nobody watches it any more (then neutral). It
* depends on the run alone, so that nothing is written that says the same.
*/
async function renderCheck(report, name, buttons) {
	const { run } = report;
	const link = sessionLink(run);
	const started = run.started_at ?? run.created_at;
	return {
		name,
		...progressOf(report, buttons),
		...started && { started_at: started },
		...link && { details_url: link },
		output: {
			title: headline(report).slice(0, 255).toWellFormed(),
			summary: await renderBody(report, CHECK_TEXT_MAX)
		}
	};
}
function progressOf({ run, unwatched }, buttons) {
	const conclusion = (isTerminal(run.state) ? ENDINGS[run.state].conclusion : void 0) ?? (unwatched ? "neutral" : void 0);
	if (!conclusion) return { status: run.state === "QUEUED" ? "queued" : "in_progress" };
	return {
		status: "completed",
		conclusion,
		...run.finished_at && { completed_at: run.finished_at },
		...buttons && { actions: buttons }
	};
}
// src/action/show-run.ts
/** What a report shows of a run at this moment, before anything else is known of it. */
function reportOf({ event, settings }, run) {
	const place = placeOf({ event });
	return {
		run,
		thread: place && placeName(place),
		requester: event.actor?.login,
		pullRequests: [],
		finalMessage: void 0,
		unwatched: false,
		notes: [],
		phrase: settings.phrase,
		now: /* @__PURE__ */ new Date()
	};
}
/** Brings comment and check of a run up to date. */
async function showRun(step, report, { headSha, mayExist }) {
	const { outbox, event, settings } = step;
	const place = placeOf(step);
	if (place && settings.report.comment) {
		const post = runComment(report.run, place, await renderComment(report));
		await outbox.put(post, { mayExist });
	}
	const sha = headSha ?? event.checks?.sha;
	if (sha === void 0 || !settings.report.check) return;
	const target = {
		repository: repositoryName(event.repository),
		headSha: sha
	};
	const content = await renderCheck(report, settings.checkName);
	await outbox.put(runCheck(report.run, target, content), { mayExist });
}
/** The thread of the event, where it has one. */
function placeOf({ event }) {
	const { thread, repository, comment } = event;
	if (!thread) return void 0;
	const replyTo = comment?.replyTo ?? null;
	return {
		repository: repositoryName(repository),
		number: thread.number,
		replyTo
	};
}
// src/action/step.ts
/** How long a service that does not answer is asked again, in milliseconds. */
const PATIENCE_MS = 6e5;
/** Milliseconds the service may fail before we say so: never past the step's own time. */
function patienceMs({ deadline }) {
	return Math.max(1, Math.min(PATIENCE_MS, deadline - performance.now()));
}
/** Logins that we, or bots that are let in here, write by. */
function authorsOf({ identity, settings }) {
	return async () => [await identity.login(), ...settings.gate.allowedBots];
}
/** Does what is nice to have: a failure is a warning, never the end. */
async function bestEffort(step, what, effort) {
	try {
		return await effort();
	} catch (error) {
		if (step.signal.aborted) throw step.signal.reason;
		step.runner.warning(`${what}: ${firstLine(error)}`);
		return;
	}
}
// src/github/render/final-message.ts
/** The agent's last words: the text of the last message it wrote, outer steps after inner ones. */
function finalMessage(conversation) {
	for (const step of conversation.steps.toReversed()) {
		const text = lastText(step);
		if (text !== void 0) return text;
	}
}
function lastText(step) {
	for (const message of step.messages.toReversed()) {
		if (message.role !== "assistant") continue;
		const text = message.content.flatMap((block) => block.type === "text" ? [block.text] : []).join("").trim();
		if (text !== "") return text;
	}
	return finalMessage(step);
}
// src/commands/run-ending.ts
/** Longest title of an external reference that is reported. */
const TITLE_MAX = 1e3;
/** The agent's last message. Services keep no conversation of some runs (404, 422): that is no fault. */
async function lastWords(service, runId, options) {
	try {
		return finalMessage(await service.runs.conversation(runId, options));
	} catch (error) {
		if (isProblem(error, "resource_not_found")) return void 0;
		if (isProblem(error, "operation_not_supported")) return void 0;
		throw error;
	}
}
/** Tells the service of a run's pull request: with it, work asked for there finds its run (interface.md 4.2). */
async function reportPullRequest(service, runId, { url, title }, options) {
	const data = {
		reference_type: "github_pull_request",
		url,
		...title && { title: title.slice(0, TITLE_MAX).toWellFormed() }
	};
	await service.harness.reportArtifact({
		artifact_type: "EXTERNAL_REFERENCE",
		data
	}, {
		...options,
		run: runId
	});
}
// src/action/end-run.ts
const READ_WITHIN_MS = 2e4;
/**
* The end of a run on GitHub: the agent's words and its pull requests are read, the pull requests are
* reported back to the run, and comment, check, reaction and mention say how it ended.
*/
async function endRun(step, own, run, options = {}) {
	const hasEnded = isTerminal(run.state);
	const { settings, outbox, event } = step;
	const report = {
		...reportOf(step, run),
		...await readEnding(step, run),
		unwatched: !hasEnded,
		notes: options.notes ?? []
	};
	await showRun(step, report, own);
	if (hasEnded) {
		const asked = {
			id: own.requestId,
			attempt: own.mayExist ? 2 : 1
		};
		await react({
			event,
			put: outbox.put
		}, asked, endingReaction(run.state));
	}
	await Promise.all([outbox.settle(), reportPulls(step, report)]);
	const urls = urlsOf(step, own);
	if (settings.report.mention) await mention(step, report, urls.commentUrl, options.again);
	return {
		...endOfRun(run, settings.failOn),
		finalMessage: report.finalMessage,
		pullRequests: report.pullRequests,
		...urls
	};
}
/** Where comment and check of a run stand. */
function urlsOf(step, own) {
	const { event, outbox } = step;
	const place = placeOf(step);
	const sha = own.headSha ?? event.checks?.sha;
	return {
		commentUrl: place && outbox.urlOf(`comment:${own.runId}:${placeName(place)}`),
		checkUrl: sha === void 0 ? void 0 : outbox.urlOf(runCheckKey(own.runId, sha))
	};
}
/** What the run itself does not carry. */
async function readEnding(step, run) {
	const { client, github, event, signal } = step;
	const options = {
		signal,
		deadlineMs: READ_WITHIN_MS
	};
	const [finalMessage, pullRequests = []] = await Promise.all([isTerminal(run.state) ? bestEffort(step, "The agent’s last message could not be read", async () => lastWords(client, run.run_id, options)) : void 0, bestEffort(step, "The pull requests could not be looked up", async () => findPullRequests(github, run, {
		repository: event.repository,
		authors: authorsOf(step)
	}))]);
	return {
		finalMessage,
		pullRequests
	};
}
/** Only what is shown to be the run's: what it says of itself must not become true by our saying it. */
async function reportPulls(step, { run, pullRequests }) {
	const options = {
		signal: step.signal,
		deadlineMs: READ_WITHIN_MS
	};
	await Promise.all(pullRequests.filter((pull) => pull.isOwn).map(async (pull) => bestEffort(step, `${pull.url} could not be reported to the run`, async () => reportPullRequest(step.client, run.run_id, pull, options))));
}
async function mention(step, report, commentUrl, again = false) {
	const place = placeOf(step);
	if (!place || !deservesMention(report)) return;
	await step.outbox.put(await endMention(report, place, commentUrl), { mayExist: again });
	await step.outbox.settle();
}
// src/action/leave-run.ts
/** Everything after a cancel has this long: the runner kills ten seconds after its first signal. */
const STOP_WITHIN_MS = 9e3;
const CANCEL_WITHIN_MS = 6e3;
/** After a timeout nobody hurries us. */
const UNHURRIED_MS = 6e4;
/**
* Ends a watch that could not see its run to the end: cancels the run or lets it go on, as the inputs
* say, and leaves comment, check and outputs with the truth.
*/
async function leaveRun(step, own, { last, error }) {
	if (error instanceof Interrupted) return leaveInterrupted(step, own, last, error);
	const reason = failureReason(error);
	const note = noteOf(reason, error);
	const run = last ?? unseen(own);
	await showRun(step, {
		...reportOf(step, run),
		unwatched: true,
		notes: [note]
	}, own);
	await step.outbox.settle();
	return {
		...endWithout(reason, note),
		run,
		...urlsOf(step, own)
	};
}
/** Cancels a run as well as it goes in so much time. */
async function tryToCancel({ client }, runId, withinMs) {
	try {
		return await cancelRun(client, runId, { withinMs });
	} catch (error) {
		if (!isClientError(error)) throw error;
		return "failed";
	}
}
function noteOf(reason, error) {
	const text = errorMessage(error).replaceAll(/\s+/g, " ").slice(0, 500);
	if (reason === "run_vanished") return "The service no longer knows this run.";
	if (reason === "internal_error") return `This step broke off: ${text}. The run may go on.`;
	return `The service stopped answering as it should (${text}). The run may go on; nobody watches it here.`;
}
async function leaveInterrupted(step, own, last, { by }) {
	const isTimeout = by === "timeout";
	const signal = AbortSignal.timeout(isTimeout ? UNHURRIED_MS : STOP_WITHIN_MS);
	const fresh = {
		...step,
		signal
	};
	const cancelled = await cancelIfWanted(step, own, isTimeout);
	const run = await lookOnce(step, own.runId) ?? last ?? unseen(own);
	const notes = notesOn(isTimeout, cancelled, run);
	const outcome = {
		...await endInTime(fresh, own, run, notes),
		unfinished: whatIsLeft(step, run, cancelled, notes)
	};
	if (isTerminal(run.state) && run.state !== "CANCELLED") return outcome;
	const reason = isTimeout ? "timed_out" : "interrupted";
	const conclusion = isTimeout ? "timed_out" : "cancelled";
	return {
		...outcome,
		...endWithout(reason, notes.join(" ")),
		conclusion,
		run
	};
}
function whatIsLeft({ outbox }, run, cancelled, notes) {
	const [why = ""] = notes;
	if (cancelled === "failed" && !isTerminal(run.state)) return {
		notes: [why],
		cancel: true
	};
	return outbox.isBehind ? {
		notes,
		cancel: false
	} : void 0;
}
async function endInTime(step, own, run, notes) {
	try {
		return await endRun(step, own, run, { notes });
	} catch (error) {
		if (!step.signal.aborted) throw error;
		return {
			...endOfRun(run, step.settings.failOn),
			...urlsOf(step, own)
		};
	}
}
async function cancelIfWanted(step, { runId, isAttached }, isTimeout) {
	const { settings } = step;
	const onCancel = settings.onCancel ?? (isAttached ? "detach" : "cancel");
	if ((isTimeout ? settings.onTimeout : onCancel) === "detach") return void 0;
	return tryToCancel(step, runId, isTimeout ? UNHURRIED_MS / 2 : CANCEL_WITHIN_MS);
}
/** A run of which nothing was seen yet. */
function unseen({ runId }) {
	return {
		run_id: runId,
		state: "UNKNOWN"
	};
}
async function lookOnce({ client }, runId) {
	try {
		return await client.runs.get(runId, {
			retry: false,
			tryTimeoutMs: 2e3,
			deadlineMs: 2e3
		});
	} catch (error) {
		if (!isClientError(error)) throw error;
		return;
	}
}
function notesOn(isTimeout, cancelled, run) {
	const why = isTimeout ? "The time limit of the step passed." : "The workflow was cancelled.";
	if (isTerminal(run.state)) return [why];
	if (cancelled === "not_cancellable") return [why, "The service cannot cancel this kind of run: it goes on unwatched."];
	if (cancelled === "failed") return [why, "The run could not be cancelled: it may go on unwatched."];
	if (cancelled === "run_vanished") return [why, "The service no longer knows this run."];
	if (cancelled === "cancel_requested") return [why, "The run is being cancelled."];
	return [why, "The run goes on unwatched."];
}
export { failureReason as A, renderRefusal as B, presentState as C, WORKFLOW_LOGIN as D, createStep as E, replyKey as F, isClientError as H, say as I, tellRefusal as L, tellFailure as M, GithubUnreachable as N, backoffMs as O, react as P, renderHelp as R, sessionLink as S, onThread as T, isProblem as U, isAmbiguous as V, endOfRun as _, authorsOf as a, durationMs as b, placeOf as c, placeName as d, runCheckKey as f, findThreadRun as g, cancelOnCommand as h, urlsOf as i, failureText as j, retry as k, reportOf as l, findRunByRequest as m, tryToCancel as n, bestEffort as o, createRunOnce as p, endRun as r, patienceMs as s, leaveRun as t, showRun as u, endWithout as v, inert as w, renderBody as x, outputsOf as y, renderProblem as z };
