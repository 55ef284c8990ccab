import { operatorConfig, type OperatorConfig } from '../../config/operator-config.ts';
import type { GithubStandIn } from '../../demo/standin.ts';

/** Identifiers have 22 letters or digits (interface.md 8). */
const ENVIRONMENT_ID = 'demoWidgetsEnvironment';

/** What an operator would write into runlink.yaml for the demo repository. */
export function demoConfig(github: GithubStandIn, agent: string): OperatorConfig {
  const { owner, name, cloneUrl } = github.repository;
  return operatorConfig.parse({
    default_harness: agent,
    allow_insecure_remotes: true,
    github: { api_url: github.apiUrl },
    sign_in: [{ organization_id: github.repository.ownerId, role: 'owner' }],
    environments: [
      {
        id: ENVIRONMENT_ID,
        name,
        team: 'default',
        repositories: [{ owner, repo: name, clone_url: cloneUrl }],
      },
    ],
  });
}
