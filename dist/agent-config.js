export { t as agentConfig } from "./agent-config2.js";
