// Stands in for @vscode/spdlog, which would have to be compiled: appends the server's log lines to its file.
'use strict';
const { appendFileSync } = require('node:fs');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

exports.setFlushOn = () => {};
exports.createAsyncRotatingLogger = async (_name, file) => {
  let threshold = 2;
  let plain = false;
  const write = (level) => (message) => {
    if (level < threshold) return;
    const line = plain ? message : `${new Date().toISOString()} [${levels[level]}] ${message}\n`;
    try {
      appendFileSync(file, line);
    } catch {
      // The data folder is gone, so is the reader of its logs.
    }
  };
  return {
    trace: write(0),
    debug: write(1),
    info: write(2),
    warn: write(3),
    error: write(4),
    critical: write(5),
    setLevel: (level) => (threshold = level),
    clearFormatters: () => (plain = true),
    setPattern: () => {},
    flush: () => {},
    drop: () => {},
  };
};
