import { parentPort } from "node:worker_threads";
// src/base/serve-jobs.ts
function serveJobs(answer) {
	const say = (message) => parentPort?.postMessage(message);
	parentPort?.on("message", (asks) => {
		for (const ask of asks) say({ answer: answer(ask) });
	});
	say({ ready: true });
}
export { serveJobs as t };
