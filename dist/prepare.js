import { c as RunlinkError, i as statusOf, l as errorMessage, o as parseDurationMs } from "./octokit.js";
import { _ as union, a as bigint, f as number, g as string, l as int, m as record, o as boolean, p as object, r as array, v as unknown } from "./vendor-zod.js";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
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
// src/github/read/payload.ts
const id = union([
	number(),
	bigint(),
	string()
]).transform(String);
const optionalText = string().nullish().transform((value) => value ?? "");
const user = object({
	login: string(),
	type: string().optional()
}).nullish().transform((value) => value ?? {
	login: "ghost",
	type: "User"
});
const branch = object({
	ref: string(),
	sha: string(),
	repo: object({
		full_name: string(),
		fork: boolean().optional()
	}).nullish()
});
const pullRequest = object({
	number: int(),
	node_id: string().default(""),
	html_url: string(),
	title: optionalText,
	body: optionalText,
	user,
	comments: int().optional(),
	updated_at: string().default(""),
	head: branch,
	base: branch
});
const issue = object({
	number: int(),
	node_id: string().default(""),
	html_url: string(),
	title: optionalText,
	body: optionalText,
	user,
	comments: int().optional(),
	updated_at: string().default(""),
	pull_request: object({ url: string().optional() }).nullish()
});
const place = {
	path: string().nullish(),
	line: int().nullish(),
	original_line: int().nullish(),
	diff_hunk: string().nullish(),
	in_reply_to_id: id.optional()
};
const comment = object({
	id,
	node_id: string().default(""),
	html_url: string().default(""),
	body: optionalText,
	user,
	created_at: string().default(""),
	...place
});
const review = object({
	id,
	node_id: string().default(""),
	html_url: string().default(""),
	body: optionalText,
	user,
	state: string().optional(),
	submitted_at: string().nullish()
});
const pullRequestNumbers = array(object({ number: int() })).nullish().transform((list) => (list ?? []).map((entry) => entry.number));
const workflowRun = object({
	id: int(),
	name: string().nullish(),
	conclusion: string().nullish(),
	html_url: string().default(""),
	head_sha: string(),
	head_branch: string().nullish(),
	run_attempt: int().optional(),
	pull_requests: pullRequestNumbers
});
const checkSuite = object({
	id: int(),
	conclusion: string().nullish(),
	head_sha: string(),
	head_branch: string().nullish(),
	pull_requests: pullRequestNumbers,
	app: object({
		slug: string().optional(),
		name: string().optional()
	}).nullish()
});
const checkRun = object({
	id: int(),
	app: object({ slug: string().optional() }).nullish(),
	name: string().default(""),
	conclusion: string().nullish(),
	html_url: string().nullish(),
	head_sha: string(),
	pull_requests: pullRequestNumbers
});
/** What we read of a webhook's or workflow's payload; everything else is left alone. */
const githubPayload = object({
	action: string().optional(),
	repository: object({
		id: int().optional(),
		full_name: string(),
		html_url: string().default(""),
		default_branch: string().optional()
	}).optional(),
	sender: object({
		login: string(),
		type: string().optional()
	}).nullish(),
	issue: issue.optional(),
	pull_request: pullRequest.optional(),
	comment: comment.optional(),
	review: review.optional(),
	changes: object({
		old_issue: unknown(),
		old_repository: unknown()
	}).partial().nullish(),
	label: object({ name: string() }).nullish(),
	assignee: object({ login: string() }).nullish(),
	ref: string().nullish(),
	after: string().nullish(),
	merge_group: object({
		head_sha: string(),
		head_ref: string()
	}).optional(),
	workflow_run: workflowRun.nullish(),
	check_suite: checkSuite.nullish(),
	check_run: checkRun.nullish(),
	installation: object({ id: int() }).nullish(),
	inputs: record(string(), unknown()).nullish(),
	client_payload: record(string(), unknown()).nullish()
});
// src/github/read/read-event.ts
/**
* Reads any event of GitHub into our one shape. Never throws: a payload that is not GitHub's is
* ignored as `unreadable_payload`, one without a repository as `unsupported_event`.
*/
function readEvent(name, payload, surroundings = {}) {
	const parsed = githubPayload.safeParse(payload);
	if (!parsed.success) return { ignored: "unreadable_payload" };
	const data = parsed.data;
	const repository = readRepository$1(data) ?? surroundings.repository;
	if (!repository) return { ignored: "unsupported_event" };
	return { event: {
		...readParts(name, data),
		repository,
		...readCommit(data, surroundings)
	} };
}
function readParts(name, data) {
	return {
		name: name === "pull_request_target" ? "pull_request" : name,
		action: data.action,
		actor: data.sender ? toActor(data.sender) : void 0,
		thread: readThread(data),
		isMoved: Boolean(data.changes?.old_issue ?? data.changes?.old_repository),
		comment: readComment(data),
		label: data.label?.name,
		assignee: data.assignee?.login,
		checks: readChecks(data),
		installationId: data.installation?.id,
		inputs: data.client_payload ?? data.inputs ?? void 0
	};
}
function readCommit(data, surroundings) {
	const head = readHead(data);
	const { merge_group: group } = data;
	return {
		head,
		ref: group?.head_ref ?? data.ref ?? surroundings.ref,
		sha: head?.sha ?? group?.head_sha ?? data.after ?? surroundings.sha
	};
}
function toActor(user) {
	const type = user.type === "Bot" || user.login.endsWith("[bot]") ? "Bot" : user.type;
	return {
		login: user.login,
		type: type === "Bot" || type === "Organization" || type === "Mannequin" ? type : "User"
	};
}
function readRepository$1(data) {
	const [owner, name] = data.repository?.full_name.split("/") ?? [];
	if (!data.repository || !owner || !name) return void 0;
	return {
		id: data.repository.id,
		owner,
		name,
		url: data.repository.html_url,
		defaultBranch: data.repository.default_branch
	};
}
function readThread(data) {
	const source = data.pull_request ?? data.issue;
	if (!source) return void 0;
	return {
		kind: data.pull_request !== void 0 || Boolean(data.issue?.pull_request) ? "pull_request" : "issue",
		number: source.number,
		nodeId: source.node_id,
		url: source.html_url,
		title: source.title,
		body: source.body,
		author: source.user.login,
		comments: source.comments,
		base: data.pull_request?.base.ref,
		updatedAt: source.updated_at
	};
}
function readComment(data) {
	if (data.comment) return readWrittenComment(data.comment);
	if (!data.review) return void 0;
	const { review } = data;
	return {
		kind: "review",
		id: review.id,
		nodeId: review.node_id,
		url: review.html_url,
		author: review.user.login,
		body: review.body,
		createdAt: review.submitted_at ?? "",
		place: void 0,
		replyTo: void 0,
		reviewState: review.state?.toLowerCase()
	};
}
function readWrittenComment(comment) {
	const place = typeof comment.path !== "string" ? void 0 : {
		path: comment.path,
		line: comment.line ?? comment.original_line ?? void 0,
		hunk: comment.diff_hunk ?? ""
	};
	return {
		kind: place ? "review_comment" : "comment",
		id: comment.id,
		nodeId: comment.node_id,
		url: comment.html_url,
		author: comment.user.login,
		body: comment.body,
		createdAt: comment.created_at,
		place,
		replyTo: place ? comment.in_reply_to_id ?? comment.id : void 0,
		reviewState: void 0
	};
}
function readHead(data) {
	const pull = data.pull_request;
	if (!pull) return void 0;
	return toHead(pull.head, pull.base);
}
/** A pull request's head; one whose repository is gone or another than the base's is a fork's. */
function toHead(head, base) {
	const repository = head.repo?.full_name ?? "";
	const own = repository.toLowerCase() === (base.repo?.full_name ?? "?").toLowerCase();
	return {
		sha: head.sha,
		ref: head.ref,
		repository,
		fork: !own
	};
}
function readChecks(data) {
	if (data.workflow_run) return readWorkflowRun(data.workflow_run);
	if (data.check_suite) return readCheckSuite(data.check_suite);
	return data.check_run ? readCheckRun(data.check_run) : void 0;
}
function readWorkflowRun(run) {
	return {
		kind: "workflow_run",
		id: run.id,
		name: run.name ?? "",
		app: void 0,
		conclusion: run.conclusion ?? void 0,
		url: run.html_url,
		sha: run.head_sha,
		branch: run.head_branch ?? void 0,
		attempt: run.run_attempt ?? 1,
		pullRequests: run.pull_requests
	};
}
function readCheckSuite(suite) {
	return {
		kind: "check_suite",
		id: suite.id,
		name: suite.app?.name ?? "",
		app: suite.app?.slug,
		conclusion: suite.conclusion ?? void 0,
		url: "",
		sha: suite.head_sha,
		branch: suite.head_branch ?? void 0,
		attempt: 1,
		pullRequests: suite.pull_requests
	};
}
function readCheckRun(run) {
	return {
		kind: "check_run",
		id: run.id,
		name: run.name,
		app: run.app?.slug,
		conclusion: run.conclusion ?? void 0,
		url: run.html_url ?? "",
		sha: run.head_sha,
		branch: void 0,
		attempt: 1,
		pullRequests: run.pull_requests
	};
}
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
/**
* States in which a run has ended; every other value, known or not, means it still works
* (interface.md 3).
*/
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
// src/github/read/event.ts
/** `owner/name`, as metadata and markers carry it. */
function repositoryName(repository) {
	return `${repository.owner}/${repository.name}`;
}
/** `owner/name#12`: what makes a thread itself. */
function threadName(repository, thread) {
	return `${repositoryName(repository)}#${thread.number}`;
}
/** Logins and labels are the same in any case; a leading `@` is how people write logins. */
function sameName(one, other) {
	if (one === void 0 || other === void 0) return false;
	return one.replace(/^@/, "").toLowerCase() === other.replace(/^@/, "").toLowerCase();
}
// src/github/read/permission.ts
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
// src/github/decide/reason.ts
/**
* Every reason why an event, a command, a run or a webhook request ended as it did: the stable codes of
* logs, counters, answers and the Action's output `reason-code` (github.md, "Events").
*
* - `rejected`: the webhook request itself was not taken.
* - `skip`: not for us, nobody waits.
* - `refusal`: a person waits and is told.
* - `done`, `failure`: how what was taken up ended.
*/
const REASONS = {
	method_not_allowed: {
		kind: "rejected",
		text: "only POST is answered here"
	},
	payload_too_large: {
		kind: "rejected",
		text: "the body is larger than GitHub sends"
	},
	bad_signature: {
		kind: "rejected",
		text: "the signature is missing or wrong"
	},
	headers_missing: {
		kind: "rejected",
		text: "the headers do not name delivery and event"
	},
	inbox_unavailable: {
		kind: "rejected",
		text: "the delivery could not be stored; send it again"
	},
	not_found: {
		kind: "rejected",
		text: "there is nothing at this address"
	},
	not_set_up: {
		kind: "rejected",
		text: "the App has not been created yet"
	},
	stored: {
		kind: "done",
		text: "the delivery is stored and will be handled"
	},
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
	not_the_authors: {
		kind: "skip",
		text: "somebody else than its author brought the text here"
	},
	label_mismatch: {
		kind: "skip",
		text: "another label was added"
	},
	assignee_mismatch: {
		kind: "skip",
		text: "somebody else was assigned"
	},
	checks_not_failing: {
		kind: "skip",
		text: "the checks have not failed"
	},
	config_untouched: {
		kind: "skip",
		text: "the push changed no configuration"
	},
	no_installation: {
		kind: "skip",
		text: "the event names no installation"
	},
	bot: {
		kind: "skip",
		text: "bots start nothing unless they are listed by name"
	},
	own_comment: {
		kind: "skip",
		text: "our own comments never start anything"
	},
	own_check: {
		kind: "skip",
		text: "our own checks never start anything"
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
	unreadable_text: {
		kind: "refusal",
		text: "the text takes too long to read"
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
	followed_up: {
		kind: "done",
		text: "the run was told more and is not waited for"
	},
	dry_run: {
		kind: "done",
		text: "the request was shown and not sent"
	},
	config_read: {
		kind: "done",
		text: "the configuration is in force"
	},
	config_broken: {
		kind: "done",
		text: "the faults of the configuration were reported"
	},
	pull_opened: {
		kind: "done",
		text: "the pull request of a run was linked"
	},
	pull_reopened: {
		kind: "done",
		text: "the pull request of a run was reopened"
	},
	pull_ready_for_review: {
		kind: "done",
		text: "the pull request of a run is ready for review"
	},
	pull_synchronize: {
		kind: "done",
		text: "the pull request of a run has a new head"
	},
	pull_labeled: {
		kind: "done",
		text: "the pull request of a run was labelled"
	},
	pull_assigned: {
		kind: "done",
		text: "the pull request of a run was assigned"
	},
	pull_closed: {
		kind: "done",
		text: "the pull request of a run was closed"
	},
	installation_deleted: {
		kind: "done",
		text: "the App was taken away"
	},
	installation_suspend: {
		kind: "done",
		text: "the App was suspended"
	},
	installation_unsuspend: {
		kind: "done",
		text: "the App is no longer suspended"
	},
	installation_new_permissions_accepted: {
		kind: "done",
		text: "the App may do more"
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
	unknown_environment: {
		kind: "failure",
		text: "there is no environment of that name"
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
		detail: detail ?? `${REASONS[reason].text}.`
	};
}
// src/github/decide/plan.ts
/**
* What to do with work that is asked for while a run works on the same thread
* (github.md, "Commands").
*/
const WHEN_BUSY = [
	"follow-up",
	"new",
	"skip"
];
/** Verbs that do work, so that forks and limits matter to them. */
function doesWork(verb) {
	return verb !== "status" && verb !== "cancel" && verb !== "help";
}
/** What a command comes to on a thread, the same in Action and App (github.md, "Commands"). */
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
/** A command of the repository's own brings its own set-up, so it continues a run only while that works. */
function planWork(command, threadRun, whenBusy) {
	const hasEnded = threadRun !== void 0 && isTerminal(threadRun.state);
	if (!threadRun || hasEnded && command.verb === "custom") return {
		do: "create",
		prompt: command.prompt
	};
	if (hasEnded || whenBusy === "follow-up") return followUp(command, threadRun);
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
/** A run takes no options any more, but the skill of a command without words is what it says. */
function followUp({ verb, prompt, options }, { runId }) {
	const isSkill = verb !== "custom" && prompt === "" && options.skill !== void 0;
	return {
		do: "follow_up",
		runId,
		message: isSkill ? `Use the skill ${options.skill}.` : prompt,
		ignoredOptions: Object.keys(options).filter((name) => name !== "sha" && !(isSkill && name === "skill"))
	};
}
// src/action/inputs.ts
/** Every input of the Action, in the order of action.yml. No other name is read anywhere. */
const INPUTS = {
	"base-url": {
		group: "Service",
		description: "Address of the run service’s API with its version, such as https://runs.example.org/api/v1. Default: the environment variable RUNLINK_BASE_URL."
	},
	"api-key": {
		group: "Service",
		description: "API key of the run service, from a secret. Default: the environment variable RUNLINK_API_KEY."
	},
	"github-token": {
		group: "Service",
		description: "Token for asking permissions, reading context and reporting. Empty: nothing is posted, outputs are still set.",
		default: "${{ github.token }}"
	},
	prompt: {
		group: "What to do",
		description: "What the agent is asked. With it any event starts a run."
	},
	"prompt-file": {
		group: "What to do",
		description: "File in the workspace with the prompt; for long ones."
	},
	"prompt-template": {
		group: "What to do",
		description: "Own layout of the prompt, with {{instruction}}, {{context}}, {{repository}}, {{title}}, {{url}}, {{number}}, {{branch}}, {{base}}, {{sha}} and {{actor}}."
	},
	skill: {
		group: "What to do",
		description: "Skill to run, such as owner/repo:path/SKILL.md. With it any event starts a run."
	},
	"run-id": {
		group: "What to do",
		description: "Attach to this run instead of starting one; a prompt is then sent to it as a follow-up."
	},
	"trigger-phrase": {
		group: "When to start",
		description: "First word of a line that makes it a command.",
		default: "/agent"
	},
	"label-trigger": {
		group: "When to start",
		description: "Start when this label is added to an issue or pull request."
	},
	"assignee-trigger": {
		group: "When to start",
		description: "Start when this login is assigned."
	},
	"when-busy": {
		group: "When to start",
		description: "What a command does while a run works on the same thread: follow-up, new or skip.",
		default: "follow-up"
	},
	"request-key": {
		group: "When to start",
		description: "Tells steps apart that would otherwise be the same request, as in a matrix.",
		default: "${{ strategy.job-index }}"
	},
	permission: {
		group: "Who may",
		description: "Least permission on the repository of whoever caused the event: read, triage, write, maintain or admin. none asks nobody.",
		default: "write"
	},
	"allowed-users": {
		group: "Who may",
		description: "Logins that may all the same, by exact name."
	},
	"allowed-bots": {
		group: "Who may",
		description: "Bots that may start runs, by exact name such as dependabot[bot]."
	},
	"allow-forks": {
		group: "Who may",
		description: "Allow work on pull requests from forks, when the command names the head commit with --sha.",
		default: "false"
	},
	"environment-id": {
		group: "The run",
		description: "Environment by id or name. Default: the only one that lists this repository."
	},
	model: {
		group: "The run",
		description: "Model id."
	},
	agent: {
		group: "The run",
		description: "Agent identity (uid) that executes the run."
	},
	name: {
		group: "The run",
		description: "Label of the run’s configuration, to filter by."
	},
	title: {
		group: "The run",
		description: "Title of the run. Default: first line of the prompt."
	},
	metadata: {
		group: "The run",
		description: "Own key/value pairs, as YAML or JSON. Keys that begin with runlink. are ours."
	},
	config: {
		group: "The run",
		description: "Further run configuration, as YAML or JSON, such as `harness: {type: demo}`. The inputs above win over it."
	},
	wait: {
		group: "Waiting",
		description: "Wait for the run to end.",
		default: "true"
	},
	timeout: {
		group: "Waiting",
		description: "How long to wait, such as 90s, 45m or 5h.",
		default: "5h"
	},
	"on-timeout": {
		group: "Waiting",
		description: "When the time is over: detach (the run goes on) or cancel.",
		default: "detach"
	},
	"on-cancel": {
		group: "Waiting",
		description: "When the workflow is cancelled: cancel the run or detach. Default: cancel, but detach from a run attached by run-id."
	},
	"fail-on": {
		group: "Waiting",
		description: "States of the run that fail the step; none for no state.",
		default: "FAILED, ERROR, BLOCKED, CANCELLED"
	},
	comment: {
		group: "Reporting",
		description: "Keep one comment about the run on the issue or pull request.",
		default: "true"
	},
	check: {
		group: "Reporting",
		description: "Keep one check about the run on the pull request’s head.",
		default: "true"
	},
	"check-name": {
		group: "Reporting",
		description: "Name of that check.",
		default: "Runlink"
	},
	reactions: {
		group: "Reporting",
		description: "React to what asked: seen, done, failed.",
		default: "true"
	},
	mention: {
		group: "Reporting",
		description: "End a run that took over two minutes, or that is blocked, with a reply that notifies whoever asked.",
		default: "true"
	},
	summary: {
		group: "Reporting",
		description: "Write the job summary.",
		default: "true"
	},
	"dry-run": {
		group: "Reporting",
		description: "Show the exact request and send nothing.",
		default: "false"
	}
};
// src/action/settings.ts
/** Reads the raw inputs by name; `get` answers an empty string for one that is not set. */
function readRawInputs(get) {
	const names = Object.keys(INPUTS);
	return Object.fromEntries(names.map((name) => [name, get(name)]));
}
/** Checks every input before any network call; throws `invalid_input` that names the first bad one. */
async function readSettings(raw, fallback) {
	const input = (name) => raw[name].trim();
	return {
		baseUrl: readBaseUrl(input("base-url") || (fallback.baseUrl ?? "")),
		apiKey: required$1("api-key", input("api-key") || (fallback.apiKey ?? "")),
		githubToken: input("github-token"),
		instruction: await readInstruction(raw, fallback.workspace),
		template: raw["prompt-template"],
		skill: input("skill"),
		runId: input("run-id"),
		phrase: readPhrase(input("trigger-phrase")),
		label: input("label-trigger") || void 0,
		assignee: input("assignee-trigger") || void 0,
		whenBusy: oneOf("when-busy", input("when-busy") || "follow-up", WHEN_BUSY),
		requestKey: input("request-key"),
		gate: readGate(input),
		...await readRun(raw),
		...readWaiting(input),
		report: {
			comment: flag("comment", input("comment"), true),
			check: flag("check", input("check"), true),
			reactions: flag("reactions", input("reactions"), true),
			mention: flag("mention", input("mention"), true),
			summary: flag("summary", input("summary"), true)
		},
		checkName: input("check-name") || "Runlink",
		dryRun: flag("dry-run", input("dry-run"), false)
	};
}
function invalid(name, problem, hint, cause) {
	return new RunlinkError("invalid_input", `Input ${name} ${problem}.`, {
		hint,
		cause
	});
}
function required$1(name, value) {
	if (value !== "") return value;
	throw invalid(name, "is missing", name === "api-key" ? "Set `api-key: ${{ secrets.RUNLINK_API_KEY }}` and add that secret to the repository. Secrets are not given to workflows of forks and Dependabot." : "Set `base-url: https://…/api/v1`, or the variable RUNLINK_BASE_URL.");
}
function readBaseUrl(value) {
	const url = URL.parse(required$1("base-url", value));
	if (url && /^https?:$/.test(url.protocol)) return value;
	throw invalid("base-url", "is not an http(s) address", "Set `base-url: https://…/api/v1`.");
}
function readPhrase(value) {
	const phrase = value === "" ? "/agent" : value;
	if (!/\s/.test(phrase)) return phrase;
	throw invalid("trigger-phrase", "has blanks in it", "Use one word, such as /agent.");
}
function oneOf(name, value, choices) {
	const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
	if (found !== void 0) return found;
	throw invalid(name, `is "${value}"`, `It takes ${choices.join(", ")}.`);
}
/** YAML 1.2's booleans, as the toolkit reads them. */
function flag(name, value, fallback) {
	if (value === "") return fallback;
	return oneOf(name, value, ["true", "false"]) === "true";
}
async function readInstruction(raw, workspace) {
	const file = raw["prompt-file"].trim();
	if (file === "") return raw.prompt.trim();
	if (raw.prompt.trim() !== "") throw invalid("prompt-file", "is set beside prompt", "Use one of the two.");
	try {
		const text = (await readFile(resolve(workspace, file), "utf8")).trim();
		if (text !== "") return text;
	} catch (error) {
		throw invalid("prompt-file", `cannot be read (${errorMessage(error)})`, "Check out the repository before this step.", error);
	}
	throw invalid("prompt-file", `names the empty file ${file}`, "Write the prompt into it.");
}
function readGate(input) {
	const logins = (name) => {
		try {
			return readLogins(input(name));
		} catch (error) {
			throw invalid(name, `is refused: ${errorMessage(error)}`, "Name each login exactly.", error);
		}
	};
	return {
		permission: oneOf("permission", input("permission") || "write", PERMISSIONS),
		allowedBots: logins("allowed-bots"),
		allowedUsers: logins("allowed-users"),
		allowForks: flag("allow-forks", input("allow-forks"), false)
	};
}
async function readRun(raw) {
	return {
		environment: raw["environment-id"].trim(),
		model: raw.model.trim(),
		agent: raw.agent.trim(),
		name: raw.name.trim(),
		title: raw.title.trim(),
		metadata: await readMetadata(raw.metadata),
		config: await readConfig(raw.config)
	};
}
async function readConfig(text) {
	if (text.trim() === "") return {};
	const { agentConfig } = await import("./agent-config.js");
	return structured("config", text, agentConfig.strict());
}
async function readMetadata(text) {
	if (text.trim() === "") return {};
	const { ownMetadata } = await import("./own-metadata.js");
	return structured("metadata", text, ownMetadata);
}
async function structured(name, text, schema) {
	const { formatYamlIssue, parseYaml } = await import("./yaml.js");
	const result = parseYaml(text, schema);
	if (result.ok) return result.value;
	throw invalid(name, `is not valid: ${result.issues.map((issue) => formatYamlIssue(name, issue)).join("; ")}`, "Write YAML or JSON.");
}
function readWaiting(input) {
	const choices = ["detach", "cancel"];
	const onCancel = input("on-cancel");
	return {
		wait: flag("wait", input("wait"), true),
		timeoutMs: readTimeout(input("timeout") || "5h"),
		onTimeout: oneOf("on-timeout", input("on-timeout") || "detach", choices),
		onCancel: onCancel === "" ? void 0 : oneOf("on-cancel", onCancel, choices),
		failOn: readFailOn(input("fail-on"))
	};
}
/** Longest time a timer can hold. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
function readTimeout(value) {
	try {
		return Math.min(TIMEOUT_MAX_MS, parseDurationMs(value));
	} catch (error) {
		throw invalid("timeout", `is "${value}"`, "Write a duration such as 90s, 45m or 5h.", error);
	}
}
function readFailOn(value) {
	if (value === "") return [
		"FAILED",
		"ERROR",
		"BLOCKED",
		"CANCELLED"
	];
	if (value.toLowerCase() === "none") return [];
	return value.split(/[\s,]+/).filter((state) => state !== "").map((state) => oneOf("fail-on", state, TERMINAL_STATES));
}
// src/base/trim-end.ts
/** The text without those of `characters` that stand at its end. `/[…]+$/` would take quadratic time. */
function trimEnd(text, characters) {
	let end = text.length;
	while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
	return text.slice(0, end);
}
// src/action/surroundings.ts
/** Reads the runner's environment; GitHub Enterprise Server says its own addresses there. */
function readSurroundings(env) {
	const value = (name) => env[name] || void 0;
	const serverUrl = value("GITHUB_SERVER_URL") ?? "https://github.com";
	return {
		eventName: required(env, "GITHUB_EVENT_NAME"),
		eventPath: required(env, "GITHUB_EVENT_PATH"),
		apiUrl: trimEnd(value("GITHUB_API_URL") ?? "https://api.github.com", "/"),
		serverUrl,
		repository: readRepository(value("GITHUB_REPOSITORY"), serverUrl),
		ref: value("GITHUB_REF")?.replace(/^refs\/(?:heads|tags)\//, ""),
		sha: value("GITHUB_SHA"),
		step: {
			runId: value("GITHUB_RUN_ID") ?? "0",
			attempt: Number(value("GITHUB_RUN_ATTEMPT") ?? 1) || 1,
			job: value("GITHUB_JOB") ?? "",
			step: value("GITHUB_ACTION") ?? ""
		},
		workspace: value("GITHUB_WORKSPACE") ?? ""
	};
}
function required(env, name) {
	const value = env[name];
	if (value) return value;
	throw new RunlinkError("invalid_input", `${name} is not set.`, { hint: "Run this as a step of a GitHub workflow." });
}
function readRepository(fullName, serverUrl) {
	const [owner, name] = fullName?.split("/") ?? [];
	if (!owner || !name) return void 0;
	return {
		owner,
		name,
		url: `${serverUrl}/${owner}/${name}`,
		defaultBranch: void 0
	};
}
// src/action/prepare.ts
/** Masks the secrets, checks the inputs, reads the event. Throws `invalid_input`. */
async function prepare(step) {
	const started = performance.now();
	const raw = readRawInputs(step.getInput);
	maskSecrets(step, raw["api-key"], raw["github-token"]);
	const surroundings = readSurroundings(step.env);
	return {
		settings: await readSettings(raw, {
			baseUrl: step.env["RUNLINK_BASE_URL"],
			apiKey: step.env["RUNLINK_API_KEY"],
			workspace: surroundings.workspace
		}),
		surroundings,
		payload: await readPayload(surroundings.eventPath),
		started
	};
}
function maskSecrets({ runner, env }, ...inputs) {
	for (const secret of [...inputs, env["RUNLINK_API_KEY"] ?? ""]) if (secret.trim() !== "") runner.secret(secret.trim());
}
async function readPayload(path) {
	try {
		return JSON.parse(await readFile(path, "utf8"));
	} catch (error) {
		throw new RunlinkError("invalid_input", `The event at ${path} cannot be read.`, {
			hint: "Run this as a step of a GitHub workflow.",
			cause: error
		});
	}
}
/** The event in our one shape; what a payload does not say the runner's environment does. */
function readEventOf({ surroundings, payload }) {
	const { eventName, repository, ref, sha } = surroundings;
	return readEvent(eventName, payload, {
		...repository && { repository },
		...ref !== void 0 && { ref },
		...sha !== void 0 && { sha }
	});
}
export { planCommand as a, pinHead as c, sameName as d, threadName as f, Interrupted as g, isTerminal as h, doesWork as i, REASONS as l, TERMINAL_STATES as m, readEventOf as n, gateActor as o, RUN_STATES as p, trimEnd as r, gateFork as s, prepare as t, repositoryName as u };
