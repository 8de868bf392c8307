#!/usr/bin/env node
// Takes the place of the `code` executable where a desktop VS Code cannot be had; see launcher.ts.
import 'tsx';

await import('./launcher.ts');
