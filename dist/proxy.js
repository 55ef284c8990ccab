import { spawn } from "node:child_process";
import http from "node:http";
// src/action/proxy.ts
/**
* Sends every `fetch` through the proxy that the environment names, by Node's own means: at once where
* this Node can (from 24.14 on). Else answers a process that does this one's work, started with
* NODE_USE_ENV_PROXY, which every Node 24 knows.
*/
function useProxy({ env, argv, execArgv, execPath }) {
	if (env["NODE_USE_ENV_PROXY"] === "1") return void 0;
	if ("setGlobalProxyFromEnv" in http) {
		http.setGlobalProxyFromEnv(env);
		return;
	}
	return spawn(execPath, [...execArgv, ...argv.slice(1)], {
		env: {
			...env,
			NODE_USE_ENV_PROXY: "1"
		},
		stdio: "inherit"
	});
}
export { useProxy };
