import { describe, expect, it } from 'vitest';
import { formatYamlIssue, parseYaml } from '../../src/base/yaml.ts';
import { DEFAULT_OPERATOR_CONFIG, operatorConfig } from '../../src/config/operator-config.ts';
import { AGENT_KINDS, harnessNames } from '../../src/config/harness.ts';

const ID = 'Abcdefghij0123456789xy';

function faults(text: string): string[] {
  const result = parseYaml(text, operatorConfig);
  return result.ok ? [] : result.issues.map((issue) => formatYamlIssue('runlink.yaml', issue));
}

describe('runlink.yaml', () => {
  it('has a default for every setting', () => {
    expect(DEFAULT_OPERATOR_CONFIG).toMatchObject({
      environments: [],
      limits: { agents_per_team: 20, metadata_filter: true, missed_firing: '1h' },
      workspaces: { keep: '24h', disk_gib: 20 },
      storage: { driver: 'directory' },
      allow_insecure_remotes: false,
    });
  });

  it('reads environments, models, harnesses and scorers', () => {
    const result = parseYaml(
      `environments:
  - id: ${ID}
    name: web
    repositories: [{owner: acme, repo: web, ref: main}]
    guests: [partners]
models:
  - {id: big, provider: ANTHROPIC, cost: {input_usd: 3, output_usd: 15}, default: true}
  - {id: old, disabled: ADMIN_DISABLED}
harnesses:
  mine: {agent: exec, command: [/opt/agent, --acp]}
default_harness: mine
scorers:
  - {id: 7, name: quality, prompt: Is it good?, labels: [good, bad]}
storage: {driver: s3, bucket: runs, endpoint: "http://127.0.0.1:9000", path_style: true}
`,
      operatorConfig,
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        environments: [{ id: ID, team: 'default', pull_request: true, link_sharing: false }],
        models: [{ default: true }, { disabled: 'ADMIN_DISABLED' }],
        default_harness: 'mine',
        scorers: [{ id: 7, labels: ['good', 'bad'] }],
        storage: { driver: 's3', region: 'us-east-1' },
      },
    });
  });

  it.each(['docker_image: node:24', 'providers: { aws: { role_arn: r } }'])(
    'says of an environment with %s what to do instead',
    (line) => {
      const text = `environments:\n  - id: ${ID}\n    name: web\n    ${line}\n`;
      expect(faults(text)).toEqual([
        expect.stringMatching(/is not served here: .*(image|variables)/),
      ]);
    },
  );

  it('places a malformed id, an unknown setting and a bad duration', () => {
    expect(
      faults(`environments:
  - id: short
    name: web
    colour: red
limits:
  queue_age: soon
`),
    ).toEqual([
      'runlink.yaml:2:9: environments[0].id: must be 22 letters or digits',
      'runlink.yaml:4:5: environments[0].colour: is not a known setting',
      'runlink.yaml:6:14: limits.queue_age: must be a duration such as 90s, 45m, 5h or 30d',
    ]);
  });

  it('refuses two of one id, two defaults and a disabled default', () => {
    expect(
      faults(`models:
  - {id: a, default: true, disabled: PROVIDER_OUTAGE}
  - {id: a, default: true}
`),
    ).toEqual([
      'runlink.yaml:3:10: models[1].id: is used by another model',
      'runlink.yaml:2:22: models[0].default: a disabled model cannot be the default',
      'runlink.yaml:3:22: models[1].default: is already true for another model',
    ]);
  });

  it('refuses remotes that are not https or ssh unless the operator allows them (threats.md S6)', () => {
    const yaml = (url: string): string =>
      `environments:\n  - id: ${ID}\n    name: w\n    repositories: [{owner: a, repo: b, clone_url: "${url}"}]\n`;
    for (const url of ['file:///etc', '/srv/git', 'http://10.0.0.1/x', 'ext::sh -c x'])
      expect(faults(yaml(url))).toEqual([
        'runlink.yaml:4:51: environments[0].repositories[0].clone_url: must be https or ssh, unless allow_insecure_remotes is true',
      ]);
    for (const url of ['https://git.example/a/b', 'ssh://git@host/a', 'git@host.example:a/b.git'])
      expect(faults(yaml(url))).toEqual([]);
    expect(faults(`${yaml('/srv/git')}allow_insecure_remotes: true\n`)).toEqual([]);
  });

  it('refuses repository names that git could read as an option or a path (threats.md S8)', () => {
    for (const name of ['-x', '..', 'a/b', '.'])
      expect(
        faults(
          `environments:\n  - {id: ${ID}, name: w, repositories: [{owner: "${name}", repo: b}]}\n`,
        ),
      ).toHaveLength(1);
  });

  it('wants a command for exec, and harness names that exist', () => {
    expect(faults('harnesses:\n  mine: {agent: exec}\ndefault_harness: other\n')).toEqual([
      `runlink.yaml:3:18: default_harness: is not a known harness; use one of ${[...AGENT_KINDS, 'mine'].join(', ')}`,
      'runlink.yaml:2:9: harnesses.mine: needs a command, because its agent is exec',
    ]);
    expect(harnessNames({ harnesses: {} })).toContain('demo');
  });
});
