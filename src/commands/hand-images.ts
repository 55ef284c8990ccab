import { retry } from '../base/retry.ts';
import { isProblem } from '../client/error.ts';
import type { Images } from '../github/read/images.ts';
import type { Face, Tell } from './face.ts';

const PREPARE_WITHIN_MS = 10_000;
const SEND_WITHIN_MS = 30_000;
const TRIES = 3;
const PAUSE_MS = 500;

/**
 * Stores images with the service, so that a follow-up can name them, and returns a note about those
 * that failed. If the service takes none, the message is sent without them.
 */
export async function handImages(
  face: Face,
  runId: string,
  { attachments, lines }: Images,
): Promise<Pick<Tell, 'attachments'> & { lines: readonly string[] }> {
  if (attachments.length === 0) return { lines };
  try {
    const named = face.rehearse
      ? attachments.map(({ file_name }) => ({ attachment_id: '', file_name }))
      : await store(face, runId, attachments);
    return { attachments: named, lines };
  } catch (error) {
    if (!(error instanceof NotStored) && face.triesAgain(error)) throw error;
    const why = isProblem(error)
      ? `the service takes none with a follow-up: ${error.status}`
      : 'the service could not be sent them';
    face.warn('A follow-up goes without its images', why);
    const others = lines.filter(
      (line) => !attachments.some((one) => line.startsWith(one.file_name)),
    );
    return { lines: [`Not passed on: ${attachments.length} of the comment (${why}).`, ...others] };
  }
}

async function store(
  face: Face,
  runId: string,
  attachments: Images['attachments'],
): Promise<NonNullable<Tell['attachments']>> {
  const files = attachments.map(({ file_name: filename, mime_type }) => ({ filename, mime_type }));
  const options = face.patience(PREPARE_WITHIN_MS);
  const prepared = await face.service.runs.prepareAttachments(runId, { files }, options);
  return Promise.all(
    attachments.map(async ({ file_name, mime_type, data }, at) => {
      const { attachment_id, upload_url } = prepared.attachments[at] ?? {};
      if (attachment_id === undefined || upload_url === undefined) throw new NotStored();
      await put(upload_url, mime_type, Buffer.from(data, 'base64'));
      return { attachment_id, file_name };
    }),
  );
}

/** Uploads to a signed link: it needs no key and must not get one. */
async function put(url: string, type: string, body: Buffer<ArrayBuffer>): Promise<void> {
  const send = async (): Promise<void> => {
    const signal = AbortSignal.timeout(SEND_WITHIN_MS);
    const headers = { 'content-type': type };
    const answer = await fetch(url, { method: 'PUT', headers, body, signal });
    await answer.body?.cancel();
    if (!answer.ok) throw new NotStored();
  };
  try {
    await retry(send, { pauseMs: (_, tries) => (tries < TRIES ? PAUSE_MS : undefined) });
  } catch (error) {
    throw error instanceof NotStored ? error : new NotStored({ cause: error });
  }
}

/** The store refused or did not answer. Images alone are no reason to retry everything later. */
class NotStored extends Error {
  constructor(options?: ErrorOptions) {
    super('The service could not be sent the images.', options);
  }
}
