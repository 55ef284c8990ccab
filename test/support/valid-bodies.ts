const metadata = { ticket: 'T-1' };
const config = {
  name: 'fixer',
  base_prompt: 'Be brief',
  mcp_servers: { search: { command: 'search', args: ['--stdio'], env: { MODE: 'quick' } } },
  computer_use_enabled: false,
  idle_timeout_minutes: 10,
  harness: { type: 'oz', model_id: 'm', reasoning_level: 'low' },
  harness_auth_secrets: { claude_auth_secret_name: '' },
  session_sharing: {},
  memory_stores: [],
  inference_providers: { aws: { disabled: true, role_arn: 'r', region: 'eu' } },
  credential_strategy: null,
};
const run = {
  prompt: 'p',
  mode: 'plan',
  config,
  title: 't',
  team: true,
  attachments: [{ file_name: 'a.png', mime_type: 'image/png', data: 'aGk=' }],
  interactive: false,
  metadata,
};
const schedule = {
  name: 'n',
  cron_schedule: '0 3 * * *',
  prompt: 'p',
  mode: 'normal',
  enabled: true,
  agent_config: config,
  metadata,
};
const identity = {
  name: 'n',
  description: 'd',
  prompt: 'p',
  secrets: [],
  skills: ['acme/web:skills/review'],
  memory: {
    auto_memory: { enabled: false },
    attached_stores: [],
  },
  default_runner_uid: '',
  environment_id: '',
  base_model: 'm',
  worker_host: 'h',
  mcp_servers: config.mcp_servers,
  credential_strategy: 'EXECUTOR',
  on_behalf_of_enabled: true,
};
const usage = { total_tokens: 3, model_token_usage: [{ model_id: 'm', total_tokens: 3 }] };
const at = '2026-01-01T00:00:00Z';
const diff = { path: 'a', old_text: null, new_text: 'x' };
const file = { path: 'a', status: 'added', additions: 1, deletions: 0 };
const events = [
  { type: 'protocol', raw: '{}' },
  { type: 'message', message_id: 'm', role: 'assistant', delta: 'd' },
  { type: 'thought', message_id: 't', delta: 'd' },
  { type: 'tool_call', call_id: 'c', kind: 'edit', title: 't', input: { a: 1 }, status: 'running' },
  { type: 'tool_call', call_id: 'c', output_delta: 'o', exit_code: null, paths: ['a'], diff },
  { type: 'plan', entries: [{ content: 'c', status: 'completed', priority: 'high' }] },
  { type: 'permission', call_id: 'c', title: 't', decision: 'allowed' },
  { type: 'usage', usage },
  { type: 'notice', level: 'warn', text: 't' },
  { type: 'setup', step: 'clone', title: 't', started_at: at, finished_at: at, is_error: false },
  { type: 'agent_started', harness: 'demo', version: '1', sandbox: 'direct' },
  { type: 'changes', base_sha: 'b', head_sha: 'h', files: [file], diff: 'd' },
  { type: 'turn_end', stop_reason: 'end_turn' },
].map((event, index) => ({ seq: index + 1, at, ...event }));

/** A body that each endpoint which takes one would take, with nearly all that it may have. */
export const VALID_BODIES: Record<string, unknown> = {
  'runs.create': run,
  'runs.createLegacy': run,
  'runs.followup': { message: 'm', mode: 'normal' },
  'runs.prepareAttachments': { files: [{ filename: 'a.png', mime_type: 'image/png' }] },
  'conversations.followup': { message: 'm', mode: 'normal' },
  'messages.send': {
    to: ['00000000-0000-4000-8000-000000000000'],
    subject: 's',
    body: 'b',
    sender_run_id: '00000000-0000-4000-8000-000000000000',
  },
  'harness.reportArtifact': {
    artifact_type: 'EXTERNAL_REFERENCE',
    data: {
      reference_type: 'ticket',
      url: 'https://tracker.example/T-1',
      title: 't',
      metadata: { a: { b: [1] } },
    },
  },
  'harness.finishTask': { success: true, summary: 'Done.' },
  'worker.claim': { worker_id: 'w', capacity: 0, harnesses: [] },
  'worker.heartbeat': { after_signal: 0 },
  'worker.appendEvents': { events },
  'worker.complete': {
    state: 'SUCCEEDED',
    message: 'm',
    error_code: 'internal_error',
    retryable: false,
    usage,
    session_id: 's',
    branch: 'b',
    pull_request_url: 'https://github.com/acme/web/pull/1',
    last_signal: 0,
  },
  'worker.release': { reason: 'r' },
  'schedules.create': schedule,
  'schedules.update': schedule,
  'artifacts.setVisibility': { public: true },
  'runs.share': { public_access: null },
  'identities.create': identity,
  'identities.update': identity,
  'scores.report': { results: [{ scorer_id: 1, classification: 'c', reason: 'r', failed: false }] },
  'access.beginLogin': { client: 'ada@laptop', challenge: 'c'.repeat(43) },
  'access.finishLogin': { verifier: 'v' },
  'access.exchangeToken': { token: 't' },
  'keys.create': { name: 'laptop' },
  'members.update': { role: 'member' },
  'skills.reportDiscovery': { token: 't', skills: [{ path: 'skills/a/SKILL.md', content: 'c' }] },
};

/** A query that the endpoints which need one would take. */
export const VALID_QUERIES: Record<string, string> = {
  'runs.byExternalReference': '?url=https://tracker.example/unknown',
  'runs.events': '?run_ids=00000000-0000-4000-8000-000000000000',
  'artifacts.upload': '?filepath=a.txt&mime_type=text/plain',
};
