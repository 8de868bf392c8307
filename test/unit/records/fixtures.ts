import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../fixtures/records/', import.meta.url));

/** What each version has written in one session each, as it was written; see the README beside it. */
export const recorded = {
  '2.1.330': {
    sessionId: 'ea029df0-6c5b-446f-a19d-763f41116bc7',
    agent: 'ea029df0-6c5b-446f-a19d-763f41116bc7/subagents/agent-af41cf9484cff6642.jsonl',
    cleared: 'ab27fc25-401c-4141-acd2-6de33f87d6bb',
  },
  '2.0.77': {
    sessionId: 'a3069516-8295-4766-838e-c4e8fa248d82',
    agent: 'agent-aca0ac0.jsonl',
    cleared: '39f23758-2e21-4426-8633-5551f42cd9f8',
  },
  '1.0.128': { sessionId: 'a72410ac-f5d2-4202-9c0e-d1c17bdae052', agent: undefined, cleared: undefined },
} as const;

export type Version = keyof typeof recorded;
export const versions = Object.keys(recorded) as Version[];

/** The working directory of all of them, and the folder of their transcripts in `<config>/projects`. */
export const cwd = '/home/user/project';
export const slug = '-home-user-project';

/** Below the folder of transcripts. */
export function fixturePath(version: Version, name: string): string {
  return `${root}${version}/projects/${slug}/${name}`;
}

export function linesOf(version: Version, name = `${recorded[version].sessionId}.jsonl`): string[] {
  return fs.readFileSync(fixturePath(version, name), 'utf8').trimEnd().split('\n');
}

/** What was written of edits of a notebook, of a file that was there, and of several at once. */
export function editLines(version: Version): string[] {
  return fs.readFileSync(`${root}${version}/edits.jsonl`, 'utf8').trimEnd().split('\n');
}

/** Prompts into which text was pasted. */
export function pastedLines(): string[] {
  return fs.readFileSync(`${root}2.1.330/pasted.jsonl`, 'utf8').trimEnd().split('\n');
}

/** What a session file had in it, one after the other. */
export function sessionFileTexts(): string[] {
  return fs.readFileSync(`${root}2.1.330/sessions.jsonl`, 'utf8').trimEnd().split('\n');
}
