import { afterAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { listSkillsResponse } from '../../../src/contract/skill.ts';
import { startWorker } from '../../../src/worker/main.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/worker-bench.ts';
import { makeRemote } from '../../support/worker-remote.ts';

let service: TestService;

afterAll(() => service.close());

describe('skills, a real repository and a real worker', () => {
  it('are found in the usual folders, and a broken one says where', async () => {
    const root = temporaryDirectory();
    const remote = makeRemote(root, {
      '.claude/skills/review/SKILL.md': '---\nname: review\ndescription: Reads\n---\nRead it.\n',
      'skills/broken/SKILL.md': '---\nname: [\n---\n',
      'elsewhere/skills/hidden/SKILL.md': '---\nname: hidden\ndescription: No\n---\n',
    });
    service = await startTestService({
      config: {
        allow_insecure_remotes: true,
        environments: [
          {
            id: 'Abcdefghij0123456789xy',
            name: 'web',
            repositories: [{ owner: 'acme', repo: 'web', clone_url: remote }],
          },
        ],
      },
    });
    const key = await service.personalKey();
    const worker = await startWorker({
      baseUrl: service.baseUrl,
      apiKey: await service.workerKey(),
      dataDir: root,
      defaultHarness: 'demo',
      environment: { PATH: process.env['PATH'] },
      allowInsecureRemotes: true,
      log: silentLog,
    });
    try {
      const path = '/agent?refresh=true&include_malformed_skills=true';
      const answer = await service.request('GET', path, { key });
      const { agents } = listSkillsResponse.parse(await answer.json());
      expect(agents.map(({ name }) => name)).toEqual(['broken', 'review']);
      expect(agents[0]?.variants[0]?.error).toMatch(/^skills\/broken\/SKILL\.md:\d+:\d+: /);
      expect(agents[1]?.variants[0]).toMatchObject({
        id: 'acme/web:.claude/skills/review/SKILL.md',
        base_prompt: 'Read it.',
      });
    } finally {
      await worker.drain(0);
    }
  });
});
