import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refuseResult } from '../../src/worker/run/result/refuse.ts';
import { ByteReader } from '../../src/base/byte-reader.ts';
import { readFrame } from '../../src/worker/run/result/frames.ts';
import { uploadArtifacts } from '../../src/worker/run/result/upload-artifacts.ts';
import type { RunContext } from '../../src/worker/run/run-context.ts';
import { byMarker } from '../../src/worker/sandbox/child.ts';
import { ownProgram } from '../../src/worker/sandbox/own-program.ts';
import { makeClone, takeWork } from '../support/clone-work.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';

interface GitObject {
  sha: string;
  bytes: Buffer;
}

function object(type: string, content: string | Buffer): GitObject {
  const head = `${type} ${Buffer.byteLength(content)}`;
  const sha = createHash('sha1').update(`${head}\0`).update(content).digest('hex');
  return { sha, bytes: Buffer.concat([Buffer.from(`${sha} ${head}\n`), Buffer.from(content), NL]) };
}

const NL = Buffer.from('\n');
const tree = (...entries: [mode: string, name: string, sha: string][]): GitObject =>
  object(
    'tree',
    Buffer.concat(
      entries.flatMap(([mode, name, sha]) => [
        Buffer.from(`${mode} ${name}\0`),
        Buffer.from(sha, 'hex'),
      ]),
    ),
  );
const WHO = 'A <a@x> 1700000000 +0000';
const commit = (treeSha: string, ...parents: string[]): GitObject => {
  const lines = [
    `tree ${treeSha}`,
    ...parents.map((sha) => `parent ${sha}`),
    `author ${WHO}`,
    `committer ${WHO}`,
  ];
  return object('commit', `${lines.join('\n')}\n\nx\n`);
};

async function* said(...parts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

const clone = (head: string, treeSha: string, objects: number): string =>
  `${JSON.stringify({ type: 'clone', head, tree: treeSha, objects })}\n`;

describe('what comes out of a sandbox in the name of our collector (threats.md S15)', () => {
  it('is refused where it is no answer, or says what it does not hold', async () => {
    const given = await makeClone();
    const take = (...parts: (string | Buffer)[]) => takeWork(given, said(...parts), 1000);
    const zero = '0'.repeat(40);
    await expect(take('x\n')).rejects.toThrow(/no answer of ours/);
    await expect(take(clone('HEAD', zero, 0))).rejects.toThrow(/no answer of ours/);
    await expect(take(clone('--all', zero, 0))).rejects.toThrow(/no answer of ours/);
    await expect(take('{'.repeat(100_000))).rejects.toThrow(/a line is too long/);
    await expect(take(clone(zero, zero, 0))).rejects.toThrow(
      /names a (?:commit|tree) that it does not/,
    );
    await expect(take(clone(given.baseSha, zero, 0))).rejects.toThrow(/names a tree that it/);
    await expect(take(clone(zero, zero, 1))).rejects.toThrow(/ends too early/);
    await expect(take(clone(zero, zero, 1), `${zero} tag 3\nabc\n`)).rejects.toThrow(/unknown/);
    await expect(take(clone(zero, zero, 1), `${zero} missing\n`)).rejects.toThrow(/missing/);
  });

  it('is refused where it is too much, before it has come in', async () => {
    const given = await makeClone();
    const take = (...parts: string[]) => takeWork(given, said(...parts), 1000);
    const zero = '0'.repeat(40);
    await expect(take(clone(zero, zero, 1_000_000))).rejects.toThrow(/more than 100000 objects/);
    await expect(take(clone(zero, zero, 1), `${zero} blob 1001\n`)).rejects.toThrow(/larger than/);
    await expect(
      take(clone(zero, zero, 2), `${zero} blob 600\n${'x'.repeat(600)}\n${zero} blob 600\n`),
    ).rejects.toThrow(/larger than 1000 bytes/);
  });

  it('is refused where its history is not the run’s, or its names are none', async () => {
    const given = await makeClone();
    const take = (head: GitObject, ...others: GitObject[]) => {
      const [top] = others;
      const objects = [head, ...others].map(({ bytes }) => bytes);
      const announced = clone(head.sha, top?.sha ?? '', objects.length);
      return takeWork(given, said(announced, ...objects));
    };
    const file = object('blob', 'x');
    const plain = tree(['100644', 'a', file.sha]);
    await expect(take(commit(plain.sha), plain, file)).rejects.toThrow(/history does not go on/);
    expect(await take(commit(plain.sha, given.baseSha), plain, file)).toMatchObject({
      treeSha: plain.sha,
    });
    for (const name of ['.git', '.GIT', '..', 'a/b', 'git~1']) {
      const odd = tree(['100644', name, file.sha]);
      await expect(take(commit(odd.sha, given.baseSha), odd, file)).rejects.toThrow(
        /refused: git index-pack failed/,
      );
    }
  });

  it('is refused where a few bytes stand for a million files', async () => {
    const given = await makeClone();
    const file = object('blob', '');
    const names = Array.from({ length: 101 }, (_, at) => `n${1000 + at}`);
    const leaves = tree(
      ...names.map((name): [string, string, string] => ['100644', name, file.sha]),
    );
    const level = (below: GitObject) =>
      tree(...names.map((name): [string, string, string] => ['40000', name, below.sha]));
    const middle = level(leaves);
    const top = level(middle);
    const head = commit(top.sha, given.baseSha);
    const objects = [head, top, middle, leaves, file].map(({ bytes }) => bytes);
    await expect(takeWork(given, said(clone(head.sha, top.sha, 5), ...objects))).rejects.toThrow(
      /more than 1000000 files/,
    );
  });

  it('is refused where it stands for directories without end, all of them empty', async () => {
    const given = await makeClone();
    const names = Array.from({ length: 30 }, (_, at) => `d${10 + at}`);
    const levels = [tree()];
    while (levels.length < 7) {
      const { sha } = levels[0] ?? tree();
      levels.unshift(tree(...names.map((name): [string, string, string] => ['40000', name, sha])));
    }
    const top = levels[0]?.sha ?? '';
    const head = commit(top, given.baseSha);
    const objects = [head, ...levels].map(({ bytes }) => bytes);
    await expect(
      takeWork(given, said(clone(head.sha, top, objects.length), ...objects)),
    ).rejects.toThrow(/more than 1000000 files/);
  });

  it('names files of the artifacts’ directory only (threats.md S7)', async () => {
    const context: Partial<RunContext> = { mask: (text) => text };
    for (const path of ['../x', '/etc/passwd', 'a/../../b', 'a//b', '.', 'a\nb', 'a\\b', '']) {
      const file = `${JSON.stringify({ type: 'file', path, size: 1 })}\nx`;
      const reader = new ByteReader(said(file, '{"type":"end"}\n'), refuseResult);
      await expect(uploadArtifacts(context as RunContext, reader)).rejects.toThrow(
        /has no plain name/,
      );
    }
  });
});

describe('the collector', () => {
  it('follows no link that takes a file’s place while it reads (threats.md S7, S15)', async () => {
    const root = temporaryDirectory();
    const [dir, secret] = [join(root, 'artifacts'), join(root, 'secret')];
    writeFileSync(secret, 'SECRET');
    const scratch = temporaryDirectory();
    const names = ['one', 'two'];
    mkdirSync(dir);
    // More than a pipe holds: it stands still in the first until that is read.
    for (const name of names) writeFileSync(join(dir, name), Buffer.alloc(1_000_000, name));
    const order = { scratch, clones: [], artifacts: { dir, filesMax: 9, bytesMax: 1e9 } };
    const [program = '', ...args] = ownProgram(byMarker(), 'collect').command;
    const child = spawn(program, [...args, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const reader = new ByteReader(child.stdout, refuseResult);
    const first = await readFrame(reader);
    const other = names.find((name) => first.type === 'file' && name !== first.path) ?? '';
    rmSync(join(dir, other));
    symlinkSync(secret, join(dir, other));
    if (first.type === 'file') for await (const _ of reader.bytes(first.size)) continue;
    expect(await readFrame(reader)).toMatchObject({ type: 'left_out', path: other });
    expect(await readFrame(reader)).toEqual({ type: 'end' });
  });
});
