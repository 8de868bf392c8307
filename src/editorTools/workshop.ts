import type { DiagnosticsSource } from '../tools/getDiagnostics.ts';
import type { LatestSelection } from '../tools/getLatestSelection.ts';
import type { OpenEditors } from '../tools/openEditors.ts';
import type { Access } from './access.ts';
import type { Calls } from './calls.ts';
import type { LanguageServers } from './languageServers.ts';
import type { Targets } from './targets.ts';

/** What the tools work with. */
export interface Workshop {
  readonly access: Access;
  readonly calls: Calls;
  readonly servers: LanguageServers;
  readonly targets: Targets;
  readonly diagnostics: Pick<DiagnosticsSource, 'all' | 'of' | 'learn'>;
  readonly tabs: OpenEditors;
  readonly selections: LatestSelection;
}
