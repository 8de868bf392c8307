/** Documents that the editor is saving because a tool of an agent has changed them: that is no edit of the user's. */
export const savedForAgents = new WeakSet<object>();
