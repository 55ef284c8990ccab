import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { createProgram } from '../../src/cli/program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

interface ComposeService {
  command?: string[];
  environment?: Record<string, string>;
  image?: string;
  build?: { context: string; dockerfile: string };
  depends_on?: Record<string, unknown>;
  volumes?: string[];
  healthcheck?: { test: string[] };
}
const compose: { services: Record<string, ComposeService>; volumes: object } = parse(
  read('deploy/compose.yaml'),
  {
    merge: true,
  },
);
const dockerfile = read('deploy/Dockerfile').split('\n');

const program = await createProgram();

/** The options a command of ours has, as `--name`. */
function optionsOf(name: string | undefined): string[] {
  const command = program.commands.find((one) => one.name() === name);
  return command?.options.map((option) => option.long ?? '') ?? [];
}

describe('the image', () => {
  it('copies only files that exist and are let into its context', () => {
    const sources = dockerfile
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    const allowed = read('.dockerignore')
      .split('\n')
      .map((line) => line.replace(/^!/, ''));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(resolve(ROOT, source)))).toEqual([]);
    expect(sources.filter((source) => !allowed.includes(source))).toEqual([]);
  });

  it('runs as an ordinary user, on the Node the project is pinned to', () => {
    expect(dockerfile).toContain('USER node');
    const { devDependencies } = JSON.parse(read('package.json')) as {
      devDependencies: Record<string, string>;
    };
    const bases = dockerfile.filter((line) => line.startsWith('FROM '));
    expect(bases).toHaveLength(2);
    expect(bases.every((line) => line.includes(`node:${devDependencies['node']}-`))).toBe(true);
  });
});

describe('the flags that keep the memory of a process small', () => {
  const flagsIn = (text = ''): string[] => text.match(/--[\w-]+=\d+/g) ?? [];
  const flags = flagsIn(read('src/cli/main.ts').split('\n', 1)[0]);

  it('are the same for the command, from the source and in the image', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(flags).toHaveLength(2);
    expect(flagsIn(scripts['runlink'])).toEqual(flags);
    expect(flagsIn(scripts['start'])).toEqual(flags);
    expect(flagsIn(dockerfile.find((line) => line.startsWith('ENTRYPOINT ')))).toEqual(flags);
  });

  it('are known to this Node.js', async () => {
    const code = "process.stdout.write(process.execArgv.join(' '))";
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', code]);
    expect(stdout.split(' ').slice(0, 2)).toEqual(flags);
  });
});

describe('the Dockerfile', () => {
  it('holds only instructions that Docker knows, each whole', () => {
    const known =
      'ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN STOPSIGNAL USER VOLUME WORKDIR'.split(' ');
    const begun = read('deploy/Dockerfile')
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(begun.filter((line) => !known.includes(line.split(' ', 1)[0] ?? ''))).toEqual([]);
    for (const line of begun.filter((one) => /^(CMD|ENTRYPOINT) /.test(one))) {
      expect(JSON.parse(line.slice(line.indexOf(' ')))).toBeInstanceOf(Array);
    }
    const stages = begun.flatMap((line) => / AS (\S+)$/.exec(line)?.[1] ?? []);
    const copied = begun.flatMap((line) => /--from=(\S+)/.exec(line)?.[1] ?? []);
    expect(copied.filter((stage) => !stages.includes(stage))).toEqual([]);
  });
});

describe('the compose file', () => {
  it('names only services, volumes and files that there are', () => {
    const services = Object.entries(compose.services);
    const needed = services.flatMap(([, one]) => Object.keys(one.depends_on ?? {}));
    expect(needed.filter((name) => !(name in compose.services))).toEqual([]);
    const mounted = services
      .flatMap(([, one]) => one.volumes ?? [])
      .map((one) => one.split(':')[0]);
    const isThere = (name = ''): boolean =>
      name in compose.volumes ||
      (name.startsWith('./') && existsSync(resolve(ROOT, 'deploy', name)));
    expect(mounted.filter((name) => !isThere(name))).toEqual([]);
    for (const [, one] of services) {
      expect(
        one.image ??
          existsSync(
            resolve(ROOT, 'deploy', one.build?.context ?? 'none', one.build?.dockerfile ?? 'none'),
          ),
      ).toBeTruthy();
      expect(one.healthcheck?.test[0]).toBe('CMD');
    }
  });

  it.each(['service', 'app'])('starts %s with options that the command has', (name) => {
    const [command, ...words] = compose.services[name]?.command ?? [];
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
    expect(options.length).toBeGreaterThan(2);
    expect(optionsOf(command)).toEqual(expect.arrayContaining(options));
  });

  it('can be started before there is a key of the service, or an App', () => {
    const needed = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    );
    expect(needed).toEqual(['POSTGRES_PASSWORD']);
  });

  it('hands the service a configuration that it takes, and the App to push with', () => {
    expect(operatorConfig.safeParse(parse(read('deploy/runlink.yaml'))).success).toBe(true);
    const { environment = {}, command, volumes } = compose.services['service'] ?? {};
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(['APP_ID', 'PRIVATE_KEY']));
    expect(command).toContain('--config=/etc/runlink/runlink.yaml');
    expect(volumes).toContain('./runlink.yaml:/etc/runlink/runlink.yaml:ro');
  });

  it('gives the App what it needs, and holds no secret itself', () => {
    const { environment = {} } = compose.services['app'] ?? {};
    expect(Object.keys(environment)).toEqual(
      expect.arrayContaining(['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'RUNLINK_API_KEY']),
    );
    const values = Object.values(compose.services).flatMap((one) =>
      Object.entries(one.environment ?? {}),
    );
    const secrets = values.filter(([key]) => /KEY|SECRET|PASSWORD|DATABASE_URL/.test(key));
    expect(secrets.filter(([, value]) => !value.includes('${'))).toEqual([]);
  });
});
