/** An error whose message is complete for the user: it prints without a stack. */
export class UserError extends Error {}
