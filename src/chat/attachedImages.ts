import { posix } from 'node:path';
import * as vscode from 'vscode';
import { imageOf, maxImage, type PromptImage } from '../agent/promptImages.ts';
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

/** What the user has attached that is an image. Files that the editor attaches by itself are only named. */
export async function attachedImages(
  references: readonly vscode.ChatPromptReference[],
  sharing: Pick<Sharing, 'exclusion' | 'learn'>,
): Promise<AttachedImages> {
  const images: PromptImage[] = [];
  const refusals: string[] = [];
  for (const { id, value } of references) {
    const source = id.startsWith('vscode.implicit') ? undefined : sourceOf(value);
    if (source) {
      const image = await readImage(source, sharing);
      if (typeof image === 'string') {
        refusals.push(`${source.name} is not passed on as an image: ${image}.`);
      } else {
        images.push(image);
      }
    }
  }
  return { images, refusals };
}

/** The file that an attached image was read from. */
export function fileOfImage(value: unknown): vscode.Uri | undefined {
  return isBinaryData(value) ? value.reference : undefined;
}

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

/** @returns why not, in words */
async function readImage(
  { uri, read, size }: Source,
  sharing: Pick<Sharing, 'exclusion' | 'learn'>,
): Promise<PromptImage | string> {
  const exclusion = uri && (await exclusionOf(uri, sharing));
  if (exclusion !== undefined) {
    return `it is ${exclusion}`;
  }
  try {
    const bytes = (await size()) > maxImage ? undefined : await read();
    return bytes === undefined || bytes.length > maxImage
      ? 'it is larger than 3.75 MB'
      : (imageOf(bytes) ?? 'it is no PNG, JPEG, GIF or WebP');
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
