const schedule = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p', enabled: true };

/** A body that each endpoint which takes one would take. */
export const VALID_BODIES: Record<string, unknown> = {
  'runs.create': { prompt: 'p' },
  'runs.createLegacy': { prompt: 'p' },
  'runs.followup': { message: 'm' },
  'harness.reportArtifact': {
    artifact_type: 'EXTERNAL_REFERENCE',
    data: { reference_type: 'ticket', url: 'https://tracker.example/T-1' },
  },
  'harness.finishTask': { success: true, summary: 'Done.' },
  'worker.claim': { worker_id: 'w', capacity: 0, harnesses: [] },
  'worker.heartbeat': { after_signal: 0 },
  'worker.appendEvents': {
    events: [{ seq: 1, at: '2026-01-01T00:00:00Z', type: 'protocol' }],
  },
  'worker.complete': { state: 'SUCCEEDED', message: 'm', last_signal: 0 },
  'worker.release': { reason: 'r' },
  'schedules.create': schedule,
  'schedules.update': schedule,
  'artifacts.setVisibility': { public: true },
  'identities.create': { name: 'n' },
  'identities.update': { name: 'n' },
  'scores.report': { results: [{ scorer_id: 1 }] },
  'skills.reportDiscovery': { token: 't', skills: [] },
};

/** A query that the endpoints which need one would take. */
export const VALID_QUERIES: Record<string, string> = {
  'runs.byExternalReference': '?url=https://tracker.example/unknown',
  'artifacts.upload': '?filepath=a.txt&mime_type=text/plain',
};
