import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/agentDefinition.ts';
import type { Initialized } from '../agent/messages.ts';
import { modelsOf } from '../agent/models.ts';
import { type AgentOptions, type PermissionMode, permissionModes } from '../agent/options.ts';
import { printable } from '../base/printable.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { modeWords } from './modes.ts';
import type { PickName, Picks } from './picks.ts';

export interface Picking {
  readonly picks: Picks;
  /** What holds now: the CLI changes it by itself, too. */
  readonly mode: PermissionMode | undefined;
  readonly settings: Pick<AgentOptions, 'mode' | 'model' | 'mayBypass'>;
  readonly initialized: Initialized | undefined;
  /** Of which the CLI may not have told yet. */
  readonly folderAgents: readonly Pick<AgentDefinition, 'name' | 'description' | 'argumentHint'>[];
  /** @param value undefined: as the settings and the CLI have it */
  pick(name: PickName, value: Picks[PickName]): Promise<void>;
  showServers(): Promise<void>;
}

interface Value {
  readonly value: Picks[PickName];
  readonly label: string;
  readonly detail?: string;
}

const titles: Readonly<Record<PickName, string>> = {
  mode: 'Permission Mode',
  model: 'Model',
  agent: 'Agent',
  effort: 'Thinking Effort',
};

/** As `--effort` takes them. */
const efforts: readonly Value[] = [
  { value: 'low', label: 'Low', detail: 'For quick answers' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
  { value: 'max', label: 'Max', detail: 'For what is hard; costs the most' },
];

/**
 * Asks for one of them; first for which, where it is not said. An Enter too many changes nothing: what is now comes first.
 * @param wanted by its name, as the user has typed it; asked for where there is none of that name
 * @returns what holds, in words; undefined where nothing was asked for
 */
export async function choosePick(
  name: PickName | undefined,
  picking: Picking,
  wanted = '',
): Promise<string | undefined> {
  const chosen = name ?? (await chooseName(picking));
  if (chosen === 'servers') {
    await picking.showServers();
  } else if (chosen) {
    return `${titles[chosen]}: ${await chooseValue(chosen, picking, wanted)}`;
  }
  return undefined;
}

async function chooseName(picking: Picking): Promise<PickName | 'servers' | undefined> {
  const names = Object.keys(titles) as PickName[];
  const items = names.map((name) => ({
    name,
    label: titles[name],
    description: nowOf(name, picking).label,
  }));
  const servers = { name: 'servers' as const, label: 'MCP Servers…', description: 'which ones it has' };
  return (await vscode.window.showQuickPick([...items, servers], { title: 'Claude in the Chat' }))?.name;
}

async function chooseValue(name: PickName, picking: Picking, wanted: string): Promise<string> {
  const now = nowOf(name, picking);
  const others = valuesOf(name, picking).filter(({ value }) => value !== now.value);
  const items = [{ ...now, description: 'now' }, ...others];
  const isWanted = ({ value, label }: Value) =>
    [value, label].some((each) => each?.toLowerCase() === wanted.toLowerCase());
  const scope = 'For this conversation, and for those that begin in this workspace';
  const picked =
    items.find(isWanted) ??
    (await vscode.window.showQuickPick(items, {
      title: `${titles[name]} of Claude in the Chat`,
      placeHolder: wanted === '' ? scope : `“${printable(wanted, 60)}” is none of these. ${scope}`,
      matchOnDetail: true,
    }));
  if (picked && picked.value !== now.value) {
    await picking.pick(name, picked.value);
  }
  return (picked ?? now).label;
}

function nowOf(name: PickName, picking: Picking): Value {
  const { picks, mode } = picking;
  const value = name === 'mode' ? (mode ?? picks.mode) : picks[name];
  return (
    valuesOf(name, picking).find((each) => each.value === value) ?? {
      value,
      label: withoutIcons(printable(String(value), 60)),
    }
  );
}

function valuesOf(name: PickName, { settings, initialized, folderAgents }: Picking): readonly Value[] {
  switch (name) {
    case 'mode':
      return [
        asSet(modeWords[settings.mode].title),
        // Only by its setting, which no workspace can change.
        ...permissionModes
          .filter((mode) => mode !== 'bypassPermissions' || settings.mayBypass)
          .map((mode) => ({ value: mode, label: modeWords[mode].title, detail: modeWords[mode].detail })),
      ];
    case 'model':
      return [
        asSet(settings.model),
        ...modelsOf(initialized)
          .filter(({ id }) => id !== 'default')
          .map(({ id, label, description }) => outside(id, label, description)),
      ];
    case 'agent':
      return [
        asSet(initialized ? undefined : 'Others are known once it has answered'),
        ...folderAgents.map(({ name, description, argumentHint }) =>
          outside(name, name, argumentHint === undefined ? description : `${description} (${argumentHint})`),
        ),
        ...(initialized?.agents ?? [])
          .filter((agent) => !folderAgents.some((each) => each.name === agent.name))
          .map((agent) => outside(agent.name, agent.name, agent.description)),
      ];
    case 'effort':
      return [asSet(undefined), ...efforts];
  }
}

function asSet(detail: string | undefined): Value {
  return { value: undefined, label: 'As in the Settings', detail: detail ?? 'As Claude Code is set up' };
}

/** What the CLI and files of the folder say is shown as text. */
function outside(value: string, label: string, description = ''): Value {
  return {
    value,
    label: withoutIcons(printable(label, 60)),
    detail: withoutIcons(printable(description, 200)),
  };
}
