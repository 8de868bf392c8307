import type { Tool } from '../tools/tool.ts';
import { editingTool, type EditingWorkshop } from './editingTool.ts';
import { renaming } from './targets.ts';
import { AskedAbout } from './workspaceEdits.ts';

export function rename(workshop: EditingWorkshop): Tool {
  const { servers, targets } = workshop;
  return editingTool(workshop, {
    name: 'rename',
    title: 'Rename a Symbol',
    description: 'Renames a symbol everywhere it is used',
    input: renaming,
    done: 'Renamed',
    async find(args, signal) {
      const spot = await targets.find(args, signal);
      await servers.mustCover(spot.document, signal);
      const asked = new AskedAbout();
      return { edit: await servers.rename(spot, args.newName, signal), asked };
    },
  });
}
