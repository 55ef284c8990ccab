import { t as askEarly } from "./early.js";
import { g as Interrupted, l as PERMISSIONS, m as TERMINAL_STATES, s as readLogins, t as WHEN_BUSY } from "./plan.js";
import { i as parseDurationMs, o as RunlinkError, s as errorMessage } from "./octokit.js";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { EOL } from "node:os";
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
// src/action/surroundings.ts
/** Reads the runner's environment; GitHub Enterprise Server says its own addresses there. */
function readSurroundings(env) {
	const value = (name) => env[name] || void 0;
	const serverUrl = value("GITHUB_SERVER_URL") ?? "https://github.com";
	return {
		eventName: required(env, "GITHUB_EVENT_NAME"),
		eventPath: required(env, "GITHUB_EVENT_PATH"),
		apiUrl: (value("GITHUB_API_URL") ?? "https://api.github.com").replace(/\/+$/, ""),
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
// src/action/runner-protocol.ts
/**
* The runner's protocol: commands on stdout and files named by the environment, as GitHub documents
* them. The toolkit does the same (a test holds both together) but loads an HTTP client for it, which
* costs 40 ms and 1.7 MB.
*/
function createRunner(env, write) {
	const command = (name, message) => write(`::${name}::${escapeData(message)}${EOL}`);
	const append = (file, key, value) => {
		const path = env[file];
		if (path) appendFileSync(path, `${keyValue(key, value)}${EOL}`);
	};
	return {
		info: (line) => write(`${single(line)}${EOL}`),
		debug: (line) => {
			if (env["RUNNER_DEBUG"] === "1") command("debug", line);
		},
		notice: (line) => command("notice", line),
		warning: (line) => command("warning", line),
		error: (line) => command("error", line),
		quote: (text) => {
			const token = randomUUID();
			write(`::stop-commands::${token}${EOL}${text}${EOL}::${token}::${EOL}`);
		},
		secret: (value) => command("add-mask", value),
		output: (name, value) => append("GITHUB_OUTPUT", name, value),
		state: (name, value) => append("GITHUB_STATE", name, value),
		summary: (markdown) => {
			const path = env["GITHUB_STEP_SUMMARY"];
			if (path) appendFileSync(path, `${markdown}${EOL}`);
		},
		fail: (line) => {
			process.exitCode = 1;
			command("error", line);
		}
	};
}
/** The value of an input, as the runner puts it into the environment. */
function readInput(env, name) {
	return env[`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`] ?? "";
}
function escapeData(text) {
	return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
/** The delimiter is random, so that no value can end itself and set another output (threats.md G11). */
function keyValue(key, value) {
	const delimiter = `ghadelimiter_${randomUUID()}`;
	if (value.includes(delimiter)) throw new RunlinkError("internal_error", "A value holds its own random delimiter.");
	return `${key}<<${delimiter}${EOL}${value}${EOL}${delimiter}`;
}
/** One line that the runner cannot take for a command. */
function single(line) {
	return line.replaceAll(/[\r\n]+/g, " ").replace(/^(\s*)::/, "$1: :").replace(/^(\s*)##\[/, "$1# #[");
}
// src/action/runner.ts
/**
* What main leaves for post, should it be ended before it could finish; `run-id` has all ids, `notes` and
* `cancel` are there when it ended by itself and what it had no time for remains.
*/
const STATE_NAMES = [
	"started",
	"request-id",
	"run-id",
	"comment-id",
	"check-id",
	"head-sha",
	"attached",
	"notes",
	"cancel",
	"finished"
];
// src/action/main.ts
const { env } = process;
const SIGNALS = ["SIGINT", "SIGTERM"];
const deputy = [
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy"
].some((name) => env[name]) ? (await import("./proxy.js")).useProxy(process) : void 0;
process.exit(deputy ? await leaveTo(deputy) : await act());
/** The runner signals the process it knows; its work is another's. */
async function leaveTo(child) {
	for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
	return new Promise((onEnd, onFailure) => {
		child.on("error", onFailure).on("exit", (code) => onEnd(code ?? 1));
	});
}
async function act() {
	const controller = new AbortController();
	const onSignal = (signal) => controller.abort(new Interrupted(signal));
	for (const signal of SIGNALS) process.on(signal, onSignal);
	const step = {
		env,
		runner: createRunner(env, (text) => process.stdout.write(text)),
		getInput: (name) => readInput(env, name),
		interrupt: controller.signal
	};
	const left = Object.fromEntries(STATE_NAMES.map((name) => [name, env[`STATE_${name}`]]));
	const isPost = left["started"] === "true";
	if (isPost && left["finished"] === "true") return 0;
	if (!isPost) step.runner.state("started", "true");
	const prepared = await prepareOrNot(step);
	const early = isPost || "error" in prepared ? void 0 : await askEarly(prepared);
	const { execute, executePost } = await import("./execute.js");
	await (isPost ? executePost(step, prepared, left) : execute(step, prepared, early));
	return process.exitCode;
}
async function prepareOrNot(step) {
	try {
		return await prepare(step);
	} catch (error) {
		return { error };
	}
}
export {};
