import { t as Octokit } from "./vendor-octokit.js";
import { a as RunlinkError, i as sleep, t as statusOf } from "./octokit.js";
import { n as fetchAfter } from "./early.js";
// src/action/github-client.ts
/** One request of GitHub may take this long; then it is tried again. */
const TRY_TIMEOUT_MS = 15e3;
const TRIES = 4;
const FIRST_PAUSE_MS = 500;
/** Asked to wait longer than this, we go on without: a report is not worth an hour. */
const LONGEST_PAUSE_MS = 3e4;
/** GitHub by token, with a few tries of what may be repeated. */
function createGithub({ token, apiUrl, early, debug }) {
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
	octokit.hook.wrap("request", async (request, options) => {
		for (let tries = 1;; tries += 1) {
			const limit = AbortSignal.timeout(TRY_TIMEOUT_MS);
			const started = performance.now();
			try {
				const response = await request({
					...options,
					request: {
						...options.request,
						signal: limit
					}
				});
				debug(`GitHub ${options.method} ${options.url} ${response.status} ${elapsed(started)}`);
				if (response.status !== 204 && typeof response.data !== "object" && !isLog(options.url)) throw new RunlinkError("github_unreadable", "GitHub’s answer is cut off or no JSON");
				return response;
			} catch (error) {
				const status = statusOf(error);
				debug(`GitHub ${options.method} ${options.url} ${status ?? "failed"} ${elapsed(started)}`);
				const pause = pauseMs(error, tries, options.method);
				if (pause === void 0 || tries >= TRIES) throw error;
				await sleep(pause);
			}
		}
	});
	return octokit;
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
