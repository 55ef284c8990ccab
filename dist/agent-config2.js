import { g as string, l as int, m as record, n as _enum, o as boolean, p as object, r as array } from "./vendor-zod.js";
import { c as text, n as filledText, s as skillSpec, t as environmentId } from "./primitives.js";
// src/contract/agent-config.ts
const mcpServer = object({
	warp_id: string().optional(),
	command: string().optional(),
	url: string().optional(),
	args: array(text(32768)).max(256).optional(),
	env: record(string(), text(32768)).optional(),
	headers: record(string(), text(32768)).optional()
}).refine((server) => [
	server.warp_id,
	server.command,
	server.url
].filter(Boolean).length === 1, "needs exactly one of warp_id, command, url");
/**
* How an agent is run: `config` of a new run, `agent_config` of a run or schedule
* (interface.md 2.2).
*/
const agentConfig = object({
	name: text(512).optional(),
	model_id: text(256).optional(),
	base_prompt: text(262144).optional(),
	environment_id: environmentId.optional(),
	runner_id: text(256).optional(),
	skill_spec: skillSpec.optional(),
	skills: array(skillSpec).max(32).optional(),
	mcp_servers: record(filledText(256), mcpServer).optional(),
	computer_use_enabled: boolean().optional(),
	computer_use_model_id: text(256).optional(),
	idle_timeout_minutes: int().min(0).max(60).optional(),
	worker_host: text(256).optional(),
	harness: object({
		/**
		* A profile's name; the public default `oz` means the operator's default profile
		* (run-lifecycle.md, "Where a run works").
		*/
		type: filledText(64).optional(),
		model_id: text(256).optional(),
		reasoning_level: text(64).optional()
	}).optional(),
	harness_auth_secrets: object({
		claude_auth_secret_name: text(256).optional(),
		codex_auth_secret_name: text(256).optional()
	}).optional(),
	session_sharing: object({ public_access: _enum(["VIEWER", "EDITOR"]).optional() }).optional(),
	memory_stores: array(object({
		uid: filledText(256),
		access: _enum(["read_write", "read_only"]),
		instructions: filledText(65536)
	})).max(64).optional(),
	inference_providers: object({ aws: object({
		disabled: boolean().optional(),
		role_arn: text(2048).optional(),
		region: text(64).optional()
	}).optional() }).optional(),
	credential_strategy: _enum(["CREATOR", "EXECUTOR"]).nullable().optional()
});
export { agentConfig as t };
