import { l as errorMessage } from "./octokit.js";
import { E as createStep, c as placeOf, d as placeName, f as runCheckKey, m as findRunByRequest, n as tryToCancel, r as endRun } from "./leave-run.js";
import { h as isTerminal, n as readEventOf } from "./prepare.js";
// src/action/post-step.ts
/** A cancelled job's post steps have five minutes together; one of ours should not use them up. */
const POST_WITHIN_MS = 12e4;
const CANCEL_WITHIN_MS = 6e4;
/** The post step: finishes what main could not. Its failures are warnings, the job has ended. */
async function runPostStep({ runner }, prepared, left) {
	try {
		if ("error" in prepared) throw prepared.error;
		const reading = readEventOf(prepared);
		if ("ignored" in reading) return;
		const signal = AbortSignal.timeout(POST_WITHIN_MS);
		await finishRuns(await createStep(runner, prepared, reading.event, { signal }), left);
	} catch (error) {
		runner.warning(`The run could not be finished: ${errorMessage(error)}`);
	}
}
/**
* What main could not finish because it was killed, or had no time for: the runs it started are cancelled,
* if the inputs say so, and comment and check end in the truth.
*/
async function finishRuns(step, left) {
	const known = (left["run-id"] ?? "").split(" ").filter((id) => id !== "");
	const sought = await findRun(step, left["request-id"]);
	const runIds = [.../* @__PURE__ */ new Set([...known, ...sought === void 0 ? [] : [sought]])];
	await Promise.all(runIds.map(async (runId) => finishRun(step, runId, left, runIds.length === 1)));
}
async function finishRun(step, runId, left, isOnly) {
	const { notes: said } = left;
	const isAttached = left.attached === "true";
	const onCancel = step.settings.onCancel ?? (isAttached ? "detach" : "cancel");
	const isToCancel = said === void 0 ? onCancel === "cancel" : left.cancel === "true";
	const notes = said === void 0 ? ["The workflow was cancelled."] : said.split("\n");
	const run = await endedRun(step, runId, isToCancel);
	if ((said === void 0 || isToCancel) && !isTerminal(run.state)) notes.push("The run goes on unwatched.");
	const own = {
		runId,
		requestId: runId,
		headSha: left["head-sha"] || void 0,
		mayExist: true,
		isAttached
	};
	if (isOnly) recallPosts(step, own, left);
	await endRun(step, own, run, {
		notes,
		again: said !== void 0
	});
}
/** Which comment and check are a run's main knows only for the last one it showed. */
function recallPosts(step, { runId, headSha }, left) {
	const { outbox, event } = step;
	const place = placeOf(step);
	const sha = headSha ?? event.checks?.sha;
	const { "comment-id": commentId, "check-id": checkId } = left;
	if (place && commentId) outbox.recall(`comment:${runId}:${placeName(place)}`, commentId);
	if (sha && checkId) outbox.recall(runCheckKey(runId, sha), checkId);
}
/** The run as it is, cancelled first where it works and is to be cancelled. */
async function endedRun(step, runId, isToCancel) {
	const options = {
		signal: step.signal,
		deadlineMs: 3e4
	};
	const run = await step.client.runs.get(runId, options);
	if (isTerminal(run.state) || !isToCancel) return run;
	const result = await tryToCancel(step, runId, CANCEL_WITHIN_MS);
	step.runner.info(`Run ${runId}: ${result}.`);
	return step.client.runs.get(runId, options);
}
async function findRun({ client, signal }, requestId) {
	if (!requestId) return void 0;
	return (await findRunByRequest(client, { requestId }, { signal }))?.runId;
}
export { runPostStep };
