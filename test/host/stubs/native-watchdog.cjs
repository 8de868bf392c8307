// Stands in for VS Code's native watchdog, which would have to be compiled. It ends an extension host that hangs
// in a busy loop after its server died; test/host/processes.ts ends the whole tree, so nothing is left to watch.
'use strict';
exports.start = () => {};
