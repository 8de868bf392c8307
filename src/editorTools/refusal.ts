/** Why a tool does not do what it was asked for: told to the model, and no fault of ours. */
export class Refusal extends Error {}
