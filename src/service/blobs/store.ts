import { createWriteStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RunlinkError } from '../../base/error.ts';
import type { StorageConfig } from '../../config/storage.ts';
import { ProblemError } from '../../contract/problem.ts';

/** How a stored object is served. */
export interface BlobMeta {
  contentType: string;
  contentLength: number;
}

/** Stores contents. They are streamed, never held in memory as a whole. */
export interface BlobStore {
  /**
   * Stores a new object durably. Throws `service_unavailable` if the store is full or cannot be
   * reached.
   */
  put(key: string, content: Readable, meta: BlobMeta): Promise<void>;
  /** Throws `service_unavailable` if the store or the object cannot be read. */
  read(key: string): Promise<Readable>;
  /** Deletes an object; a missing one is no error. */
  delete(key: string): Promise<void>;
  /** A link made by the store itself; undefined if this service serves the content. */
  signedUrl(
    key: string,
    options: { contentType: string; disposition: string; expiresInSeconds: number },
  ): Promise<string | undefined>;
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The problem that a caller gets when the store fails. */
export function storageProblem(error: unknown): ProblemError {
  const full = codes(error).some((code) => FULL.has(code));
  return new ProblemError('service_unavailable', {
    title: full
      ? 'There is no space left to store this content.'
      : 'The content store could not be written.',
    detail: full
      ? 'The run is kept. Free space in the content store, then send the content again.'
      : 'The run is kept. Send the content again in a moment.',
    retryAfterSeconds: full ? 60 : 5,
    cause: error,
  });
}

function unreadable(cause: unknown): never {
  throw new ProblemError('service_unavailable', {
    title: 'The content store could not be read.',
    detail: 'Ask again in a moment.',
    retryAfterSeconds: 5,
    cause,
  });
}

/** Keys are made by us, never from a name that somebody chose (threats.md S7). */
const KEY = /^[a-z0-9-]+(\/[a-z0-9-]+)*$/;

function checked(key: string): string {
  if (KEY.test(key)) return key;
  throw new RunlinkError('invalid_blob_key', 'This is not a key of the content store.');
}

/**
 * Files in a folder. We write them ourselves because flydrive's directory driver reports a full
 * disk as an aborted stream and never syncs.
 */
function directoryStore(root: string): BlobStore {
  const pathOf = (key: string): string => join(root, checked(key));
  return {
    async put(key, content) {
      const path = pathOf(key);
      try {
        await mkdir(dirname(path), { recursive: true });
        await pipeline(content, createWriteStream(path, { flush: true, mode: 0o600 }));
      } catch (error) {
        await rm(path, { force: true });
        throw storageProblem(error);
      }
    },
    read: async (key) => (await open(pathOf(key)).catch(unreadable)).createReadStream(),
    delete: (key) => rm(pathOf(key), { force: true }),
    signedUrl: async () => undefined,
  };
}

async function s3Store(
  config: Extract<StorageConfig, { driver: 's3' }>,
  credentials: S3Credentials,
): Promise<BlobStore> {
  const { Disk } = await import('flydrive');
  const { S3Driver } = await import('flydrive/drivers/s3');
  const disk = new Disk(
    new S3Driver({
      bucket: config.bucket,
      region: config.region,
      forcePathStyle: config.path_style,
      visibility: 'private',
      supportsACL: false,
      credentials,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      ...(config.endpoint === undefined ? {} : { endpoint: config.endpoint }),
    }),
  );
  return {
    async put(key, content, meta) {
      const name = checked(key);
      try {
        await disk.putStream(name, content, meta);
      } catch (error) {
        throw storageProblem(error);
      }
    },
    read: (key) => disk.getStream(checked(key)).catch(unreadable),
    delete: (key) => disk.delete(checked(key)),
    signedUrl: (key, options) =>
      disk.getSignedUrl(checked(key), {
        contentType: options.contentType,
        contentDisposition: options.disposition,
        expiresIn: options.expiresInSeconds,
      }),
  };
}

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Opens the store that the operator configured; files go to `defaultDirectory` if nothing is
 * configured.
 */
export async function openBlobStore(
  config: StorageConfig,
  options: { defaultDirectory: string; credentials?: S3Credentials },
): Promise<BlobStore> {
  if (config.driver === 'directory') return directoryStore(config.path ?? options.defaultDirectory);
  const { credentials } = options;
  if (!credentials) {
    throw new ProblemError('integration_not_configured', {
      title: 'The content store has no credentials.',
      detail: `Set ${config.access_key_id_variable} and ${config.secret_access_key_variable}.`,
    });
  }
  return s3Store(config, credentials);
}

function codes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  return [...code, ...codes(error.cause)];
}
