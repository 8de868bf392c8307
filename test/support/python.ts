/** Debian's; another python3 may come first on PATH and lack ipykernel. */
export const python = process.env.IDE_BRIDGE_PYTHON ?? '/usr/bin/python3';
