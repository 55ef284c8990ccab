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
* Every reason why an event, a command or a run ended as it did: the stable codes of logs, counters
* and the Action's output `reason-code` (github.md, "Events"). `skip`: not for us, nobody waits.
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
export { gateFork as a, REASONS as c, sameName as d, threadName as f, Interrupted as g, isTerminal as h, gateActor as i, PERMISSIONS as l, TERMINAL_STATES as m, doesWork as n, pinHead as o, RUN_STATES as p, planCommand as r, readLogins as s, WHEN_BUSY as t, repositoryName as u };
