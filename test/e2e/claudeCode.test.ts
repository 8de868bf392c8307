import { absentScenarios } from './absentScenarios.ts';
import {
  awayScenarios,
  changesScenarios,
  linkScenarios,
  reloadedScenarios,
  shellScenarios,
  unwatchedScenarios,
} from './changesScenarios.ts';
import {
  contextScenarios,
  mentionDuringQuestionScenarios,
  mentionScenarios,
  sessionScenarios,
  severalMentionScenarios,
} from './contextScenarios.ts';
import { commentScenarios, keepsCommentsAfter } from './commentScenarios.ts';
import { coreScenarios } from './coreScenarios.ts';
import { editorToolScenarios } from './editorToolScenarios.ts';
import { olderTextScenarios } from './olderTextScenarios.ts';
import { pastScenarios } from './pastScenarios.ts';
import { notebookScenarios } from './notebookScenarios.ts';
import { problemScenarios } from './problemScenarios.ts';
import { cliVersions } from './provisionCli.ts';
import { recordScenarios, withoutRecordScenarios } from './recordScenarios.ts';
import {
  backgroundAgentScenarios,
  draftScenarios,
  keepsReasonAfter,
  reasonScenarios,
  twoAgentScenarios,
} from './reasonScenarios.ts';
import {
  comesBackAfter,
  leavesBranchItsPlaceAfter,
  leavesNoTabAfter,
  reviewScenarios,
} from './reviewScenarios.ts';
import { reviewedTurnScenarios, turnScenarios } from './turnScenarios.ts';
import { unsavedScenarios } from './unsavedScenarios.ts';
import { useDesk } from './useDesk.ts';

describe(`Claude Code ${cliVersions.newest}`, () => {
  const desk = useDesk(cliVersions.newest);
  coreScenarios(desk);
  unsavedScenarios(desk, { merges: true });
  olderTextScenarios(desk, { merges: true });
  mentionScenarios(desk, { tells: true });
  severalMentionScenarios(desk);
  mentionDuringQuestionScenarios(desk);
  contextScenarios(desk);
  sessionScenarios(desk);
  recordScenarios(desk);
  pastScenarios(desk);
  reviewScenarios(desk);
  reasonScenarios(desk);
  commentScenarios(desk);
  draftScenarios(desk);
  twoAgentScenarios(desk, 'Agent');
  backgroundAgentScenarios(desk);
  notebookScenarios(desk);
  changesScenarios(desk);
  turnScenarios(desk, { names: true });
  reviewedTurnScenarios(desk);
  shellScenarios(desk);
  problemScenarios(desk);
  editorToolScenarios(desk);
});

describe(`Claude Code ${cliVersions.newest} in a plain window`, () => {
  const desk = useDesk(cliVersions.newest, { plain: true });
  comesBackAfter('the extension host has crashed', desk, () => desk().crashExtensionHost());
});

describe(`Claude Code ${cliVersions.newest} in a folder that was opened through a link`, () => {
  const desk = useDesk(cliVersions.newest, { linked: true });
  linkScenarios(desk);
  problemScenarios(desk);
});

describe(`Claude Code ${cliVersions.newest} on two branches`, () => {
  const desk = useDesk(cliVersions.newest); // in which no other repository was: the editor's Git counts them together
  awayScenarios(desk);
});

describe(`Claude Code ${cliVersions.newest} in a window that ends`, () => {
  const desk = useDesk(cliVersions.newest);
  comesBackAfter('the window was reloaded', desk, () => desk().reload());
  keepsReasonAfter('the window is reloaded', desk, () => desk().reload());
  keepsCommentsAfter('the window is reloaded', desk, () => desk().reload());
  leavesNoTabAfter('the window is reloaded', desk, () => desk().reload());
  leavesNoTabAfter('VS Code is started again', desk, () => desk().restart());
  leavesBranchItsPlaceAfter('the window is reloaded', desk, () => desk().reload());
  absentScenarios(desk);
  reloadedScenarios(desk);
  unwatchedScenarios(desk);
});

describe(`Claude Code ${cliVersions.two}`, () => {
  const desk = useDesk(cliVersions.two);
  coreScenarios(desk);
  unsavedScenarios(desk, { merges: false });
  olderTextScenarios(desk, { merges: false });
  mentionScenarios(desk, { tells: false });
  severalMentionScenarios(desk);
  contextScenarios(desk);
  withoutRecordScenarios(desk);
  turnScenarios(desk, { names: true });
  shellScenarios(desk);
  reasonScenarios(desk);
  commentScenarios(desk);
  twoAgentScenarios(desk, 'Task');
  problemScenarios(desk);
});

describe(`Claude Code ${cliVersions.one}`, () => {
  const desk = useDesk(cliVersions.one);
  coreScenarios(desk);
  unsavedScenarios(desk, { merges: false });
  olderTextScenarios(desk, { merges: false });
  mentionScenarios(desk, { tells: false });
  reasonScenarios(desk);
  commentScenarios(desk);
});
