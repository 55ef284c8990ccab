import type { McpServer } from '@agentclientprotocol/sdk';
import { RunlinkError } from '../../../base/error.ts';
import type { AgentConfig } from '../../../contract/agent-config.ts';

/**
 * The run's MCP servers in the form of the Agent Client Protocol. Throws `unsupported_config` for
 * stored ones.
 */
export function mcpServers(config: AgentConfig): McpServer[] {
  return Object.entries(config.mcp_servers ?? {}).map(([name, server]) => {
    const pairs = (values: Record<string, string> | undefined): { name: string; value: string }[] =>
      Object.entries(values ?? {}).map(([key, value]) => ({ name: key, value }));
    if (server.command !== undefined) {
      const { command, args = [], env } = server;
      return { name, command, args, env: pairs(env) };
    }
    if (server.url !== undefined)
      return { type: 'http', name, url: server.url, headers: pairs(server.headers) };
    throw new RunlinkError(
      'unsupported_config',
      `MCP server "${name}" is named by a stored id, and none are stored here.`,
      { hint: 'Give its command or its url.' },
    );
  });
}

/** Values in the run's MCP servers that may be secrets: variables and headers. */
export function mcpSecrets(config: AgentConfig): string[] {
  return Object.values(config.mcp_servers ?? {}).flatMap((server) => [
    ...Object.values(server.env ?? {}),
    ...Object.values(server.headers ?? {}),
  ]);
}
