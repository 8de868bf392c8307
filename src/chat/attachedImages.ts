import { posix } from 'node:path';
import * as vscode from 'vscode';
import {
  imageOf,
  type ImageSum,
  maxImage,
  maxImages,
  noImages,
  type PromptImage,
} from '../agent/promptImages.ts';
import { errorMessage } from '../base/errors.ts';
import { realPath } from '../server/realPath.ts';
import type { Sharing } from '../sharing/sharing.ts';

/** `ChatReferenceBinaryData`, which the types that we build with do not have. */
interface BinaryData {
  readonly mimeType: string;
  /** Where it was read from. */
  readonly reference?: vscode.Uri;
  data(): Thenable<Uint8Array>;
}

export interface AttachedImages {
  readonly images: readonly PromptImage[];
  /** Why others are not passed on, in words for the user. */
  readonly refusals: readonly string[];
}

/** Whether the user has attached it, and not the editor by itself. */
export function isOfUser({ id }: vscode.ChatPromptReference): boolean {
  return !id.startsWith('vscode.implicit');
}

/**
 * What the user has attached that is an image. Files that the editor attaches by itself are only named.
 * @param before of the same conversation
 */
export async function attachedImages(
  references: readonly vscode.ChatPromptReference[],
  sharing: Pick<Sharing, 'exclusion' | 'learn'>,
  before: () => Promise<ImageSum>,
): Promise<AttachedImages> {
  const images: PromptImage[] = [];
  const refusals: string[] = [];
  const leftOut: string[] = [];
  const sources = references.filter(isOfUser).flatMap(({ value }) => sourceOf(value) ?? []);
  const { count, bytes } = sources.length === 0 ? noImages : await before();
  const places = maxImages.count - count;
  let room = maxImages.bytes - bytes;
  for (const source of sources) {
    const image = images.length < places ? await readImage(source, room, sharing) : undefined;
    if (image === undefined) {
      leftOut.push(source.name);
    } else if (typeof image === 'string') {
      refusals.push(`${source.name} is not passed on as an image: ${image}.`);
    } else {
      images.push(image);
      room -= image.bytes.length;
    }
  }
  return { images, refusals: leftOut.length === 0 ? refusals : [...refusals, tooMany(leftOut)] };
}

function tooMany(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const list = `${names.slice(0, maxNamed).join(', ')}${more}`;
  return `Left out, as a conversation takes ${maxImages.count} images of 22.5 MB together (/compact makes room): ${list}.`;
}

/** The file that an attached image was read from. */
export function fileOfImage(value: unknown): vscode.Uri | undefined {
  return isBinaryData(value) ? value.reference : undefined;
}

const maxNamed = 20;

interface Source {
  readonly name: string;
  readonly uri?: vscode.Uri | undefined;
  readonly read: () => Thenable<Uint8Array>;
  /** Bytes; 0 where that is not known before it is read. */
  readonly size: () => Promise<number>;
}

function sourceOf(value: unknown): Source | undefined {
  if (value instanceof vscode.Uri && /\.(a?png|jpe?g?|jfif|gif|webp)$/i.test(value.path)) {
    const { fs } = vscode.workspace;
    return {
      name: posix.basename(value.path),
      uri: value,
      read: () => fs.readFile(value),
      size: async () => (await fs.stat(value)).size,
    };
  }
  return isBinaryData(value) && value.mimeType.startsWith('image/')
    ? {
        name: value.reference ? posix.basename(value.reference.path) : 'A picture',
        uri: value.reference,
        read: () => value.data(),
        size: () => Promise.resolve(0),
      }
    : undefined;
}

/**
 * @param room bytes that are left for it
 * @returns why not, in words; undefined where the room is too small
 */
async function readImage(
  { uri, read, size }: Source,
  room: number,
  sharing: Pick<Sharing, 'exclusion' | 'learn'>,
): Promise<PromptImage | string | undefined> {
  const exclusion = uri && (await exclusionOf(uri, sharing));
  if (exclusion !== undefined) {
    return `it is ${exclusion}`;
  }
  try {
    const known = await size();
    const bytes = known > Math.min(maxImage, room) ? undefined : await read();
    const { length } = bytes ?? { length: known };
    if (length > maxImage) {
      return 'it is larger than 3.75 MB';
    }
    return bytes && length <= room ? (imageOf(bytes) ?? 'it is no PNG, JPEG, GIF or WebP') : undefined;
  } catch (error) {
    return `it cannot be read (${errorMessage(error)})`;
  }
}

/** By either name of a link. */
async function exclusionOf(
  uri: vscode.Uri,
  sharing: Pick<Sharing, 'exclusion' | 'learn'>,
): Promise<string | undefined> {
  const uris = uri.scheme === 'file' ? [uri, vscode.Uri.file(realPath(uri.fsPath))] : [uri];
  await sharing.learn(uris.map(({ fsPath }) => fsPath));
  return uris.map((each) => sharing.exclusion(each)).find((words) => words !== undefined);
}

function isBinaryData(value: unknown): value is BinaryData {
  const { mimeType, data } = (value ?? {}) as Partial<BinaryData>;
  return typeof mimeType === 'string' && typeof data === 'function';
}
