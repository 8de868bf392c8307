/**
 * What IDE Bridge for Claude Code offers to other extensions, version 1.
 *
 * Copy this file into your extension, or import its types from where it is installed: it has types only, so that nothing
 * of ours is in your bundle.
 *
 * ```ts
 * const bridge = vscode.extensions.getExtension<IdeBridgeExports>('ide-bridge.ide-bridge-for-claude-code');
 * const api = await (await bridge?.activate())?.getAPI(1, context.extension.id);
 * ```
 *
 * Every promise that is rejected, and every method that throws, does so with an `IdeBridgeError`, unless it says otherwise.
 */
import type { CancellationToken, Disposable, Event, Terminal, Uri } from 'vscode';

/** What `activate` of the extension gives, and `Extension.exports`. */
export interface IdeBridgeExports {
  /**
   * @param version of this file: members may be added to a version, none is changed or taken away
   * @param extensionId your own, `context.extension.id`: your tools, mentions and proposals are named by it. The editor does
   * not tell us who calls, so it is checked only that such an extension is installed
   * @returns the same for each call of one extension
   * @throws IdeBridgeError `UnknownVersion`; `InvalidArgument` for an extension that is not there; `Deactivated`
   */
  getAPI(this: void, version: 1, extensionId: string): Promise<IdeBridgeApi>;
}

export interface IdeBridgeApi {
  readonly version: 1;
  /**
   * False in a window whose workspace is not trusted: there are no sessions then, `mention` and `propose` are rejected with
   * `Untrusted`, and tools can be registered but are offered to nobody.
   */
  readonly enabled: boolean;
  /** Fires once, when the user trusts the workspace. It never goes back. */
  readonly onDidChangeEnabled: Event<boolean>;
  readonly sessions: Sessions;
  /**
   * Offers a tool to models, beside the editor tools of IDE Bridge and under the same rules: to the clients of that MCP
   * server, where the user has switched it on (`ideBridge.editorTools.enabled`), with the switch of the tool's group. You can
   * register it at any time; clients that are connected are told.
   * @returns takes the tool back; calls of it that run are cancelled
   * @throws IdeBridgeError `InvalidArgument`, also for a name that you have registered already; `Deactivated`
   */
  registerTool<Input extends object = Record<string, unknown>>(
    this: void,
    tool: Tool<Input>,
  ): Promise<Disposable>;
  /**
   * Puts `@file#L1-2` into the prompt of a session, as the user's own mentions do; nothing is submitted. What the user has
   * excluded from sharing is refused, and everything while sharing is paused or off.
   * @throws IdeBridgeError `Untrusted`; `InvalidArgument` for anything but a file or folder on disk; `Deactivated`
   */
  mention(this: void, mention: Mention): Promise<MentionOutcome>;
  /**
   * Shows a new text for a file as a diff, which the user accepts, changes or rejects as they do with an agent's; the diff
   * says which extension proposes. What they accept IDE Bridge writes to the file, in its line ends and with its byte order
   * mark, before this is settled; you write nothing. A second proposal for the same file with the same title takes the place
   * of the first. Whether the file is shared with sessions does not matter.
   * @param token withdraws the proposal: its diff is closed, and nothing is written
   * @throws IdeBridgeError `Untrusted`; `InvalidArgument`, also for what is no file in the workspace folders; `Failed` where
   * the file has unsaved changes, is not in UTF-8, was changed after the decision, or cannot be written, and where 50 of your
   * proposals are open; `Deactivated`
   */
  propose(this: void, proposal: Proposal, token?: CancellationToken): Promise<ProposalOutcome>;
}

/** Every client of the bridge that is connected to this window. */
export interface Sessions {
  /** Those that are open now, of terminals first, each a picture of this moment. Empty while the bridge does not run. */
  readonly all: readonly Session[];
  /** One has connected, or begun in the chat. At most 100 ms late, as the events below. */
  readonly onDidOpen: Event<Session>;
  /** One has gone; as it was last. Also when the bridge stops, or is started anew. */
  readonly onDidClose: Event<Session>;
  /** Its label, state or terminal is another. */
  readonly onDidChange: Event<Session>;
}

/** Facts about a session. What is said in it is not among them. */
export interface Session {
  /** Unique in this window until it is reloaded. */
  readonly id: string;
  /** `terminal`: a CLI that runs in a terminal, of this window or elsewhere. `chat`: a conversation of the editor's chat. */
  readonly kind: 'terminal' | 'chat';
  /** What the user calls it, in plain text; of the chat a number. */
  readonly label: string;
  readonly state: SessionState;
  /** In ms since the epoch; of the chat, when the conversation began. */
  readonly connectedSince: number;
  /** The terminal of this window in which it runs, where that is known. */
  readonly terminal?: Terminal;
}

/**
 * As the view *Sessions* has it, of what waits for the user the most urgent first:
 * - `asks`: a question is up
 * - `proposes`: at least one of its proposals is under review
 * - `calls`: it waits for the user, and nothing tells for what
 * - `done`: it has finished, and the user has not been there since
 * - `working`
 * - `idle`: at its prompt, or nothing tells what it is at
 */
export type SessionState = 'asks' | 'proposes' | 'calls' | 'done' | 'working' | 'idle';

export interface Mention {
  /** Of a file or folder on disk: of the scheme `file`. */
  readonly uri: Uri;
  /** Both counted from 0 as in `Range`, both included. Without, the whole file. */
  readonly lines?: { readonly start: number; readonly end: number };
  /** The `id` of a session of kind `terminal`. Without, the one that the user had to do with last, or the user is asked, as `ideBridge.mention.target` says. */
  readonly sessionId?: string;
}

export type MentionOutcome =
  /** The session has it. Whether it is in the prompt, no CLI tells. */
  | { readonly outcome: 'sent'; readonly sessionId: string }
  /** It is sent once the prompt of this session is there, or, without `sessionId`, to the next session that connects. */
  | { readonly outcome: 'waiting'; readonly sessionId?: string }
  /** The user has excluded it, or shares nothing now, a hundred mentions wait already, or fifty of yours have come within a minute. `reason` is in words for people. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** The user was asked for which session, and chose none, or has discarded what waits. */
  | { readonly outcome: 'dismissed' };

export interface Tool<Input extends object = Record<string, unknown>> {
  /**
   * Begins with a letter, and has `a-z A-Z 0-9 _ -` only. Clients see it behind the id of your extension, as in
   * `publisher_extension_name`; all of that has at most 64 characters.
   */
  readonly name: string;
  /** For people, on one line: at most 100 characters. */
  readonly title: string;
  /** For the model: what it does, and when to use it. At most 4,000 characters. */
  readonly description: string;
  /**
   * JSON Schema of an object (`type: 'object'`), of the draft 2020-12, or draft-07 where `$schema` says so; at most 50,000
   * characters as JSON. `format` is not checked. Or a schema of a library that has Standard JSON Schema, such as that of zod
   * 4.2 and newer; of another, pass what its `toJSONSchema` gives. It is copied.
   */
  readonly inputSchema: object;
  /**
   * What it may do, and so what the user has to have switched on:
   * - `reading`: changes nothing, starts nothing. `ideBridge.editorTools.enabled` is enough.
   * - `editing`: changes files, by `propose` if you can: what you write yourself nobody reviews.
   *   With `ideBridge.editorTools.editing`.
   * - `running`: starts a program or a command, or whatever cannot be taken back. With `ideBridge.editorTools.running`; the user
   *   is asked about each call, unless they have said that it may always run with this input.
   */
  readonly group: 'reading' | 'editing' | 'running';
  /** What clients may want to know besides; of MCP. That it is read-only `group` says. */
  readonly annotations?: {
    /** False where nothing is lost by it; not for `reading`. */
    readonly destructiveHint?: boolean;
    /** False where it looks at nothing but this editor. */
    readonly openWorldHint?: boolean;
  };
  /**
   * Called for each call of a model, once its input fits the schema, and not while sharing is paused or off. It decides by
   * itself which files it reads: the exclusions of the user (`ideBridge.share.exclude`) are for it to mind.
   * @param input as it came: no default is filled in, nothing is transformed
   * @returns a text, of which the model gets the first 20,000 characters; or anything that JSON can hold, of at most as many
   * @throws what you throw, the model is told by its `message`
   */
  handler(input: Input, call: ToolCall): ToolOutput | PromiseLike<ToolOutput>;
}

export type ToolOutput = string | number | boolean | null | object;

export interface ToolCall {
  /** Cancelled when the client cancels or goes away, and when you take the tool back: what you give then nobody gets. */
  readonly token: CancellationToken;
  /** Whose call it is, as in `Claude Code`: what the client calls itself. */
  readonly client: string;
}

export interface Proposal {
  /** Of a text file that is there: of the scheme `file`, in a workspace folder, and through no link that leads out of it. */
  readonly uri: Uri;
  /** All of it, at most 10 Mi characters; its line ends do not matter. If it is what the file has, it counts as accepted. */
  readonly newText: string;
  /** What it is about, on one line of at most 60 characters: shown behind the name of your extension. */
  readonly title?: string;
}

export type ProposalOutcome =
  /** `text` is what was written, with LF line ends: the user may have changed it. */
  | { readonly accepted: true; readonly text: string }
  /**
   * `reason`: what the user wants instead, if they said so. `withdrawn`: nobody has decided; you have cancelled it, or proposed
   * another text, or IDE Bridge was deactivated.
   */
  | { readonly accepted: false; readonly withdrawn: boolean; readonly reason?: string };

/** An `Error` whose `name` is `IdeBridgeError`; its `message` says what was wrong and what to do. */
export interface IdeBridgeError extends Error {
  readonly code:
    /** There is no API of that version here: an older or newer IDE Bridge is installed. */
    | 'UnknownVersion'
    /** What was passed is not what this file asks for. */
    | 'InvalidArgument'
    /** The workspace is not trusted, see `IdeBridgeApi.enabled`. */
    | 'Untrusted'
    /** It could not be done, and nothing was: `message` says why. */
    | 'Failed'
    /** IDE Bridge was deactivated, disabled or updated. Nothing of this API works any more. */
    | 'Deactivated';
}
