// The least that a participant of the editor's chat can do: it says at once what it is told.
const vscode = require('vscode');

exports.activate = ({ subscriptions }) =>
  subscriptions.push(
    vscode.chat.createChatParticipant('bench.echo', ({ prompt }, _context, stream) =>
      stream.markdown(`${prompt}!`),
    ),
  );
