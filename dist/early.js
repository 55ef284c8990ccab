import { setTimeout } from "node:timers/promises";
// src/action/early.ts
/** Until the question has left; then loading may keep the processor to itself. */
const LEAVE_WITHIN_MS = 30;
/**
* Asks GitHub at once for the permission of whoever caused the event: every run needs it first, and the
* answer travels while hundreds of kilobytes are parsed. Nothing is decided here: the gate asks its
* question as ever and is given this answer once.
*/
async function askEarly({ settings, surroundings, payload }) {
	const { githubToken, gate } = settings;
	const { apiUrl, repository } = surroundings;
	const login = personOf(payload);
	if (!(githubToken !== "" && gate.permission !== "none" && repository !== void 0) || login === void 0 || !mayConcernUs(settings, payload)) return void 0;
	const url = `${apiUrl}/repos/${`${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}`}/collaborators/${encodeURIComponent(login)}/permission`;
	const headers = {
		accept: "application/vnd.github+json",
		authorization: `token ${githubToken}`,
		"user-agent": "runlink-action"
	};
	const answer = fetch(url, {
		headers,
		signal: AbortSignal.timeout(15e3)
	});
	answer.catch(() => void 0);
	await Promise.race([answer.catch(() => void 0), setTimeout(LEAVE_WITHIN_MS)]);
	return {
		url,
		answer
	};
}
function member(value, name) {
	return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : void 0;
}
function personOf(payload) {
	const sender = member(payload, "sender");
	const login = member(sender, "login");
	return typeof login === "string" && member(sender, "type") === "User" && !login.endsWith("[bot]") ? login : void 0;
}
/** Whether the event can come to anything: what is not for us should cost no request. */
function mayConcernUs(settings, payload) {
	const { instruction, skill, runId, label, assignee, phrase } = settings;
	if ([
		instruction,
		skill,
		runId
	].some((value) => value !== "")) return true;
	const action = member(payload, "action");
	if (label !== void 0 && action === "labeled") return true;
	if (assignee !== void 0 && action === "assigned") return true;
	if (action !== "created" && action !== "submitted" && action !== "opened") return false;
	return [
		"comment",
		"review",
		"issue",
		"pull_request"
	].map((name) => member(member(payload, name), "body")).some((body) => typeof body === "string" && body.toLowerCase().includes(phrase.toLowerCase()));
}
async function untilAborted(signal) {
	return new Promise((_, fail) => {
		signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
	});
}
/** `fetch`, but for the one question that was asked already. */
function fetchAfter(early) {
	let left = early;
	return async (input, init) => {
		if (left === void 0 || input !== left.url || (init?.method ?? "GET") !== "GET") return fetch(input, init);
		const { answer } = left;
		left = void 0;
		return Promise.race([answer, untilAborted(init?.signal)]);
	};
}
export { fetchAfter as n, askEarly as t };
