import { t as askEarly } from "./early.js";
import { g as Interrupted, t as prepare } from "./prepare.js";
import { c as RunlinkError } from "./octokit.js";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { EOL } from "node:os";
// src/action/log-line.ts
/** Where the runner, its log on the web or a terminal begins a new line. */
const BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const BREAKS = new RegExp(BREAK, "g");
/** What the runner passes over where it compares by culture: `#`, U+00AD, `#[` is `##[` to it. */
const PASSED_OVER = /(?!\t)\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu;
/**
* One line of the step's log in which the runner finds no command of its own (threats.md G11). It takes
* `::name::` for one at the beginning of a line, behind any blanks, and `##[name]` anywhere in it
* (actions/runner: src/Runner.Common/ActionCommand.cs).
*/
function logLine(text) {
	return text.replaceAll(BREAKS, " ").replaceAll(PASSED_OVER, "").replaceAll("##[", "# #[").replace(/^(\s*)::/, "$1: :");
}
/** The lines of a text, each as `logLine` has it. */
function logLines(text) {
	return text.split(BREAK).map(logLine);
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
		info: (line) => write(`${logLine(line)}${EOL}`),
		debug: (line) => {
			if (env["RUNNER_DEBUG"] === "1") command("debug", line);
		},
		notice: (line) => command("notice", line),
		warning: (line) => command("warning", line),
		error: (line) => command("error", line),
		quote: (text) => {
			const token = randomUUID();
			write(`${[
				`::stop-commands::${token}`,
				...logLines(text),
				`::${token}::`
			].join(EOL)}${EOL}`);
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
	const invocation = {
		env,
		runner: createRunner(env, (text) => process.stdout.write(text)),
		getInput: (name) => readInput(env, name),
		interrupt: controller.signal
	};
	const left = Object.fromEntries(STATE_NAMES.map((name) => [name, env[`STATE_${name}`]]));
	const isPost = left["started"] === "true";
	if (isPost && left["finished"] === "true") return 0;
	if (!isPost) invocation.runner.state("started", "true");
	const prepared = await prepareOrNot(invocation);
	const early = isPost || "error" in prepared ? void 0 : await askEarly(prepared);
	if (isPost) await (await import("./post-step.js")).runPostStep(invocation, prepared, left);
	else await (await import("./main-step.js")).runMainStep(invocation, prepared, early);
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
