const AT = '2026-11-21T08:00:00.000Z';
export const UUID = '11111111-1111-4111-8111-111111111111';
const agent = {
  uid: UUID,
  name: 'Night owl',
  available: false,
  created_at: AT,
  updated_at: AT,
  description: 'Works at night.',
  prompt: null,
  secrets: [],
  skills: [],
  memory: { auto_memory: { enabled: true }, attached_stores: [] },
  default_runner_uid: '',
  on_behalf_of_enabled: false,
};

const schedule = {
  id: UUID,
  name: 'Nightly triage',
  cron_schedule: '0 3 * * *',
  enabled: true,
  prompt: 'Triage.',
  created_at: AT,
  updated_at: AT,
  history: { last_ran: null, next_run: '2030-01-01T03:00:00.000Z' },
  last_spawn_error: 'no such environment',
};

/** What the service would answer, by path. */
export const ANSWERS: Record<string, unknown> = {
  '/agent/schedules': {
    schedules: [schedule],
  },
  [`/agent/schedules/${UUID}`]: schedule,
  '/agent/identities': { agents: [agent] },
  [`/agent/identities/${UUID}`]: agent,
  '/agent': {
    agents: [
      {
        name: 'release-notes',
        variants: [
          {
            id: 'octo/shop:.agents/skills/release-notes/SKILL.md',
            description: '',
            base_prompt: '',
            source: { owner: 'octo', name: 'shop', skill_path: 'SKILL.md' },
            environments: [],
            last_run_timestamp: null,
            error: 'front matter: name is missing',
          },
        ],
      },
    ],
  },
  '/agent/models': {
    default_model_id: 'large-1',
    models: [
      {
        id: 'large-1',
        display_name: 'Large One',
        provider: 'ANTHROPIC',
        vision_supported: true,
        disabled: false,
      },
      {
        id: 'old',
        display_name: 'Old One',
        provider: 'UNKNOWN',
        vision_supported: false,
        disabled: true,
        disable_reason: 'ADMIN_DISABLED',
      },
    ],
  },
  '/agent/environments': {
    environments: [
      {
        uid: 'e'.repeat(22),
        config: { name: 'shop', github_repos: [{ owner: 'octo', repo: 'shop' }] },
        last_updated: AT,
        setup_failed: true,
      },
    ],
  },
  '/agent/workers': {
    workers: [
      {
        worker_id: 'w-1',
        worker_host: 'build-7',
        harnesses: ['demo'],
        sandbox: 'bwrap',
        version: '0.1.0',
        working: 2,
        free: 1,
        runs: [{ run_id: 'r', title: 'Dig' }],
        connected_at: AT,
        last_seen_at: AT,
      },
    ],
  },
  [`/agent/artifacts/${UUID}`]: {
    artifact_type: 'PLAN',
    artifact_uid: UUID,
    created_at: AT,
    data: {
      document_uid: UUID,
      notebook_uid: 'n',
      content: '# Steps\n\n1. <script>alert(1)</script>',
      content_type: 'text/markdown',
      title: 'The plan',
    },
  },
  '/agent/artifacts/22222222-2222-4222-8222-222222222222': {
    artifact_type: 'FILE',
    artifact_uid: '22222222-2222-4222-8222-222222222222',
    created_at: AT,
    data: {
      download_url: 'http://127.0.0.1:8787/api/v1/blobs/x?signature=s',
      expires_at: AT,
      content_type: 'text/html',
      filename: 'report.html',
    },
  },
};
