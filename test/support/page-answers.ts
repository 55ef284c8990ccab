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
  '/agent/runs/working/scores': {
    run_id: 'working',
    scores: [
      {
        scorer_id: 1,
        scorer_name: 'Did what was asked',
        attempt_status: 'scored',
        attempted_at: AT,
        classification: 'partly',
        reason: 'The loop is mended.\nNo test <shows> it.',
        scored_at: AT,
        scoring_run_id: UUID,
      },
      {
        scorer_id: 2,
        scorer_name: 'Is small',
        attempt_status: 'in_flight',
        attempted_at: AT,
        classification: null,
        reason: null,
        scored_at: null,
        scoring_run_id: UUID,
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
  '/agent/members': {
    members: [
      ['Ada Byron', 'owner', false],
      ['Mona Octocat', 'member', true],
      ['Gone', null, false],
    ].map(([display_name, role, from_github], n) => ({
      uid: `3333333${n}-3333-4333-8333-333333333333`,
      display_name,
      email: null,
      github_login: from_github ? 'octocat' : null,
      role,
      from_github,
      keys: n,
      sign_ins: 1,
      last_seen_at: AT,
    })),
  },
  '/agent/sign-ins': {
    sign_ins: [
      {
        id: UUID,
        person: { uid: UUID, display_name: 'Ada Byron' },
        via: 'github',
        browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
        address: '203.0.113.9 via 10.0.0.2',
        created_at: AT,
        last_seen_at: AT,
        expires_at: AT,
        is_current: true,
      },
    ],
  },
  '/agent/audit': {
    events: [
      {
        id: '1',
        at: AT,
        actor: { type: 'person', uid: UUID, display_name: 'Ada Byron' },
        address: '203.0.113.9 via 10.0.0.2',
        action: 'member.role_changed',
        object: { type: 'member', id: UUID, name: 'Mona Octocat' },
        details: { role: 'member', before: 'reader' },
      },
    ],
    next_cursor: 'more',
  },
};
