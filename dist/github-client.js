import { t as Octokit } from "./vendor-octokit.js";
import { c as RunlinkError, i as statusOf, s as sleep } from "./octokit.js";
import { n as fetchAfter } from "./early.js";
// src/action/github-client.ts
/** One request of GitHub may take this long; then it is tried again. */
const TRY_TIMEOUT_MS = 15e3;
/**
* After an interrupt one request may take this long, and all of them together that long: the runner kills
* ten seconds after its first signal, and the service is asked too.
*/
const HURRIED_TRY_MS = 2e3;
const HURRIED_MS = 6e3;
const TRIES = 4;
const FIRST_PAUSE_MS = 500;
/** Asked to wait longer than this, we go on without: a report is not worth an hour. */
const LONGEST_PAUSE_MS = 3e4;
/** GitHub by token, with a few tries of what may be repeated. */
function createGithub(options) {
	const { token, apiUrl, early, interrupt, debug } = options;
	const limit = createLimit(interrupt);
	const octokit = new Octokit({
		auth: token,
		baseUrl: apiUrl,
		userAgent: "runlink-action",
		request: { fetch: fetchAfter(early) },
		log: {
			debug,
			info: debug,
			warn: debug,
			error: debug
		}
	});
	octokit.hook.wrap("request", async (request, asked) => {
		for (let tries = 1;; tries += 1) {
			const { signal, release } = limit();
			const started = performance.now();
			try {
				asked.request = {
					...asked.request,
					signal
				};
				const response = await request(asked);
				debug(`GitHub ${asked.method} ${asked.url} ${response.status} ${elapsed(started)}`);
				if (response.status !== 204 && typeof response.data !== "object" && !isLog(asked.url)) throw new RunlinkError("github_unreadable", "GitHub’s answer is cut off or no JSON");
				return response;
			} catch (error) {
				const status = statusOf(error);
				debug(`GitHub ${asked.method} ${asked.url} ${status ?? "failed"} ${elapsed(started)}`);
				const pause = pauseMs(error, tries, asked.method);
				if (pause === void 0 || tries >= TRIES || interrupt?.aborted) throw error;
				await sleep(pause, interrupt);
			} finally {
				release();
			}
		}
	});
	return octokit;
}
/** Makes the signal that ends one try, and lets go of it. */
function createLimit(interrupt) {
	let last = Number.POSITIVE_INFINITY;
	interrupt?.addEventListener("abort", () => last = performance.now() + HURRIED_MS);
	return () => {
		const controller = new AbortController();
		const end = () => controller.abort(new RunlinkError("github_slow", "GitHub is too slow"));
		const hurriedMs = () => Math.max(0, Math.min(HURRIED_TRY_MS, last - performance.now()));
		let timer = setTimeout(end, interrupt?.aborted ? hurriedMs() : TRY_TIMEOUT_MS);
		const hurry = () => {
			clearTimeout(timer);
			timer = setTimeout(end, hurriedMs());
		};
		interrupt?.addEventListener("abort", hurry);
		return {
			signal: controller.signal,
			release: () => {
				clearTimeout(timer);
				interrupt?.removeEventListener("abort", hurry);
			}
		};
	};
}
/** The one thing we read of GitHub that is text. */
function isLog(url) {
	return url.endsWith("/logs");
}
function elapsed(started) {
	return `${Math.round(performance.now() - started)} ms`;
}
/**
* How long to wait before the next try, or undefined where there should be none. A write whose answer
* got lost may have been done: it is repeated only where GitHub says it was not.
*/
function pauseMs(error, tries, method) {
	const status = statusOf(error) ?? 500;
	const told = retryAfterMs(error);
	if (!(status === 429 || status === 403 && told !== void 0) && !((method === "GET" || method === "PATCH" || method === "PUT") && status >= 500)) return void 0;
	const pause = told ?? FIRST_PAUSE_MS * 2 ** (tries - 1) * (.75 + Math.random() / 2);
	return pause <= LONGEST_PAUSE_MS ? pause : void 0;
}
function retryAfterMs(error) {
	if (typeof error !== "object" || error === null || !("response" in error)) return void 0;
	const { response } = error;
	if (typeof response !== "object" || response === null || !("headers" in response)) return void 0;
	const headers = new Map(Object.entries(Object(response.headers)));
	const after = Number(headers.get("retry-after"));
	if (Number.isFinite(after) && headers.has("retry-after")) return after * 1e3;
	if (headers.get("x-ratelimit-remaining") !== "0") return void 0;
	const reset = Number(headers.get("x-ratelimit-reset"));
	return Number.isFinite(reset) ? Math.max(0, reset * 1e3 - Date.now()) : void 0;
}
export { createGithub };
