/** Documents that are open in the editor, by a path as the client wrote it. */
export interface Documents {
  find(path: string): OpenDocument | undefined;
}

export interface OpenDocument {
  filePath: string;
  isDirty: boolean;
  isUntitled: boolean;
  /** @returns whether it was saved; false when something in the editor prevented it */
  save(): Promise<boolean>;
}
