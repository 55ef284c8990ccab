import { Readable } from 'node:stream';
import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { ATTACHMENTS_MAX, type CreateRunRequest } from '../../contract/run.ts';
import type { GithubEvent } from './event.ts';
import { IMAGE_SIZES } from './image-size.ts';
import { ask, type Github } from './octokit.ts';

export interface Images {
  attachments: NonNullable<CreateRunRequest['attachments']>;
  /**
   * For the prompt: the name of each image and where it was shown, and which ones could not be
   * fetched.
   */
  lines: string[];
}

/**
 * GitHub accepts images up to 10 MB. All images of a run together may be no larger, so that the
 * request stays small.
 */
const BYTES_MAX = 10 * 1024 * 1024;
/** Models refuse images that are wider or higher (github.md, "Images"). */
const PIXELS_MAX = 8000;
const READ_WITHIN_MS = 30_000;
const REDIRECTS_MAX = 3;
/** A sign that a text may show an image. */
const SHOWS_IMAGE = /!\[|<img|\/user-attachments\/assets\//i;
/** The HTML of images and videos; GitHub renders emoji as images too. */
const SHOWN = /<(?:img|video|source)\b([^<>]{1,8000})>/gi;
const ASSET = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** Where github.com stores attachments (github.md, "Images"). */
const STORES: readonly string[] = [
  'github.com',
  'private-user-images.githubusercontent.com',
  'user-images.githubusercontent.com',
  'raw.githubusercontent.com',
  'media.githubusercontent.com',
  'objects.githubusercontent.com',
];
const BUCKET = /^github-production-user-asset-[0-9a-f]{4,16}\.s3\.amazonaws\.com$/;

const shown = z.looseObject({ body_html: z.string().default('') });

interface Text {
  body: string;
  /** For texts, such as "the issue". */
  where: string;
  route: string;
  id: string | number;
}

/**
 * Fetches the images in the text that asked, and in the issue or pull request it belongs to. It
 * does so at once, because the signed URL of a private image expires after minutes. For a follow-up
 * only the new text counts. A failure leaves an image out, unless `orLater` asks for a retry. Image
 * URLs are never passed on (threats.md S21).
 */
export async function readImages(
  github: Github | undefined,
  event: GithubEvent,
  {
    isFollowUp = false,
    orLater,
  }: { isFollowUp?: boolean; orLater?: (error: unknown) => boolean } = {},
): Promise<Images> {
  const images: Images = { attachments: [], lines: [] };
  const signal = AbortSignal.timeout(READ_WITHIN_MS);
  const asked = textsOf(event, isFollowUp).filter(({ body }) => SHOWS_IMAGE.test(body));
  if (asked.length === 0) return images;
  if (!github) return { ...images, lines: ['Images were not read: there is no token for GitHub.'] };
  let room = BYTES_MAX;
  for (const text of asked) {
    const found = await addressesIn(github, event, text).catch((error: unknown) => {
      if (orLater?.(error)) throw error;
      images.lines.push(`The images of ${text.where} could not be read (${reasonOf(error)}).`);
      return [];
    });
    for (const [at, address] of found.entries()) {
      const which = `${nameOf(address)} in ${text.where}`;
      if (images.attachments.length === ATTACHMENTS_MAX) {
        const rest = found.length - at;
        images.lines.push(`${rest} more in ${text.where}: only ${ATTACHMENTS_MAX} are passed on.`);
        break;
      }
      try {
        const data = await download(github, address, { room, signal });
        const { mimeType, extension } = typeOf(data);
        assertSize(data, extension);
        room -= data.length;
        const file_name = `image-${images.attachments.length + 1}.${extension}`;
        const content = { mime_type: mimeType, data: data.toString('base64') };
        images.attachments.push({ file_name, ...content });
        images.lines.push(`${file_name}: ${which}.`);
      } catch (error) {
        images.lines.push(`Not passed on: ${which} (${reasonOf(error)}).`);
      }
    }
  }
  return images;
}

function textsOf({ comment, review, thread }: GithubEvent, isFollowUp: boolean): Text[] {
  if (!thread) return [];
  const routes = {
    comment: 'GET /repos/{owner}/{repo}/issues/comments/{id}',
    review_comment: 'GET /repos/{owner}/{repo}/pulls/comments/{id}',
    review: `GET /repos/{owner}/{repo}/pulls/${thread.number}/reviews/{id}`,
  };
  const comments = review?.comments ?? (comment ? [comment] : []);
  // The text that asked comes first, in case there are too many images.
  const texts = comments.map(({ body, kind, id }, at): Text => {
    const where = comments.length > 1 ? `comment ${at + 1}` : 'the comment';
    return { body, where, route: routes[kind], id };
  });
  if (isFollowUp && texts.length > 0) return texts;
  const where = thread.kind === 'issue' ? 'the issue' : 'the pull request';
  const route = 'GET /repos/{owner}/{repo}/issues/{id}';
  return [...texts, { body: thread.body, where, route, id: thread.number }];
}

/** URLs of the images in a text, in order. GitHub signs them when it renders the text as HTML. */
async function addressesIn(
  github: Github,
  { repository: { owner, name: repo } }: GithubEvent,
  { route, id }: Text,
): Promise<URL[]> {
  const headers = { accept: 'application/vnd.github.full+json' };
  const { body_html: html } = shown.parse(await ask(github, route, { owner, repo, id, headers }));
  const addresses = [...html.matchAll(SHOWN)].flatMap(([, attributes = '']) => {
    if (/class="[^"]*\bemoji\b/.test(attributes)) return [];
    const source = / src="([^"]+)"/.exec(` ${attributes}`)?.[1];
    const address = source && URL.parse(source.replaceAll('&amp;', '&'));
    return address ? [address] : [];
  });
  return [...new Map(addresses.map((address) => [address.pathname, address])).values()];
}

/** A name for an image. The rest of its URL may be somebody's words, or a signature. */
function nameOf({ pathname }: URL): string {
  const asset = ASSET.exec(pathname)?.[0];
  return asset ? `user-attachments/assets/${asset.toLowerCase()}` : 'an image';
}

/**
 * Downloads from GitHub's own hosts only, without a token, and checks each redirect (threats.md
 * S21).
 */
async function download(
  github: Github,
  address: URL,
  { room, signal }: { room: number; signal: AbortSignal },
): Promise<Buffer> {
  const api = new URL(github.request.endpoint.DEFAULTS.baseUrl);
  let url = address;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    if (!isGithubs(url, api)) throw new RunlinkError('image', 'it is not kept by GitHub');
    const response = await fetch(url.href, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status === 200 && response.body) {
      if (Number(response.headers.get('content-length')) > room) throw tooLarge();
      return readWithin(Readable.fromWeb(response.body, { signal }), room);
    }
    await response.body?.cancel();
    const next = response.status >= 300 && location ? URL.parse(location, url.href) : null;
    if (!next) throw new RunlinkError('image', `GitHub answers ${response.status}`);
    url = next;
  }
  throw new RunlinkError('image', 'it leads from one address to the next');
}

function isGithubs(url: URL, api: URL): boolean {
  if (url.protocol !== api.protocol || url.port !== api.port) return false;
  if (url.username !== '' || url.password !== '') return false;
  const { hostname } = url;
  const base = api.hostname.replace(/^api\./, '');
  if (base === 'github.com') return STORES.includes(hostname) || BUCKET.test(hostname);
  // Enterprise Server and data residency store attachments under their own domain.
  return hostname === base || hostname.endsWith(`.${base}`);
}

async function readWithin(body: Readable, room: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // Leaving the loop closes the connection.
    if (size > room) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): RunlinkError {
  return new RunlinkError('image', 'the images are larger than 10 MB together');
}

type ImageType = { mimeType: string; extension: keyof typeof IMAGE_SIZES };

/** The type of an image by its first bytes. GitHub believes whatever the uploader says. */
function typeOf(data: Buffer): ImageType {
  const begin = data.subarray(0, 12).toString('latin1');
  if (begin.startsWith('\x89PNG\r\n\x1A\n')) return { mimeType: 'image/png', extension: 'png' };
  if (begin.startsWith('\xFF\xD8\xFF')) return { mimeType: 'image/jpeg', extension: 'jpg' };
  if (/^GIF8[79]a/.test(begin)) return { mimeType: 'image/gif', extension: 'gif' };
  if (/^RIFF....WEBP/s.test(begin)) return { mimeType: 'image/webp', extension: 'webp' };
  throw new RunlinkError('image', 'it is no PNG, JPEG, GIF or WebP');
}

/**
 * Throws if a model would refuse the image: that would fail the whole request, and the run with it.
 */
function assertSize(data: Buffer, extension: keyof typeof IMAGE_SIZES): void {
  let size: [number, number];
  try {
    size = IMAGE_SIZES[extension](data);
  } catch (cause) {
    throw new RunlinkError('image', 'it is damaged', { cause });
  }
  if (Math.max(...size) <= PIXELS_MAX) return;
  const most = `models take at most ${PIXELS_MAX} each way`;
  throw new RunlinkError('image', `it has ${size.join(' × ')} pixels: ${most}`);
}

/** Never the message of a failed request: it may contain the URL. */
function reasonOf(error: unknown): string {
  if (error instanceof RunlinkError) return error.message;
  return error instanceof Error && error.name === 'TimeoutError'
    ? 'it took too long'
    : 'it could not be fetched';
}
