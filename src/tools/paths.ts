import { homedir } from 'node:os';
import { normalize, posix, win32 } from 'node:path';
import * as z from 'zod/mini';
import { printable } from '../base/printable.ts';

/** In UTF-16 units. Of 10,000 in short steps the editor hangs. */
const maxPath = 4_096;

/** A path as a client may write it, see `pathCandidates`. */
export const path = z.string().check(
  z.minLength(1),
  z.maxLength(maxPath),
  z.refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
);

export const absolutePath = path.check(
  z.refine((value) => isAbsolutePath(value), 'must be an absolute path'),
  z.refine((value) => !isForeign(value, process.platform), 'must be a path of this machine'),
  // The editor does so in its tabs, and would not find there again what we have opened.
  z.overwrite((value) => normalize(process.platform === 'win32' ? fromPosixDrive(value) : value)),
);

export interface PathContext {
  platform: NodeJS.Platform;
  home: string;
  /** Absolute. */
  workspaceFolders: readonly string[];
}

export function currentPathContext(workspaceFolders: readonly string[]): PathContext {
  return { platform: process.platform, home: homedir(), workspaceFolders };
}

/**
 * What a client may mean by a path, as absolute paths, likeliest first: absolute, `~`, relative to each workspace
 * folder in turn (but not out of it), a `file:` URI raw or encoded, and on Windows either slash, `/c:/x` and the
 * `/c/x` of the JetBrains plugin. Empty if it can be none of these.
 * @throws Error for what `isForeign`, and what is too long
 */
export function pathCandidates(input: string, context: PathContext): string[] {
  if (input.length > maxPath) {
    throw new Error(`A path has at most ${maxPath} characters.`);
  }
  const readings = input.startsWith('file:') ? fileUriReadings(input, context.platform) : [input];
  if (readings.some((reading) => isForeign(reading, context.platform))) {
    throw new Error(`Paths of other machines and devices are not opened: ${printable(input)}`);
  }
  return [...new Set(readings.flatMap((reading) => absolutes(reading, context)))];
}

/**
 * A path with a `%` in it can be read in two ways: the CLI sends paths raw, the model may encode them. Whoever encodes the
 * drive of Windows has encoded all of it.
 */
function fileUriReadings(uri: string, platform: NodeJS.Platform): string[] {
  const raw = uri.replace(/^file:(\/\/(localhost(?=\/))?)?/, '');
  try {
    const readings = [raw, decodeURIComponent(raw)].filter((reading) => !reading.includes('\0'));
    return platform === 'win32' && /^\/[a-z]%3a/i.test(raw) ? readings.reverse() : readings;
  } catch {
    return [raw];
  }
}

function absolutes(input: string, { platform, home, workspaceFolders }: PathContext): string[] {
  const paths = platform === 'win32' ? win32 : posix;
  const path = platform === 'win32' ? fromPosixDrive(input).replaceAll('/', '\\') : input;
  if (/^~(?=$|[\\/])/.test(path)) {
    return [paths.join(home, path.slice(1))];
  }
  if (paths.isAbsolute(path)) {
    return [paths.normalize(path)];
  }
  return workspaceFolders
    .map((folder) => ({ folder, joined: paths.join(folder, path) }))
    .filter(({ folder, joined }) => !/^\.\.(?=$|[\\/])/.test(paths.relative(folder, joined)))
    .map(({ joined }) => joined);
}

/**
 * A share of another Windows machine, to which opening it would send the user's credentials; or a device, which
 * Windows finds under its name in every folder.
 */
function isForeign(path: string, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32') {
    return false;
  }
  const slashed = path.replaceAll('\\', '/');
  const isShare = slashed.startsWith('//') && !/^\/\/wsl(\$|\.localhost)\/[\w.-]*\w/i.test(slashed);
  return isShare || /(^|\/)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *([.:/]|$)/i.test(slashed);
}

/** `/c:/x` and `/c/x` → `c:/x` */
function fromPosixDrive(path: string): string {
  return path.replace(/^\/([A-Za-z])(:?)(?=\/|$)/, '$1:');
}

function isAbsolutePath(path: string): boolean {
  return process.platform === 'win32' ? win32.isAbsolute(fromPosixDrive(path)) : posix.isAbsolute(path);
}
