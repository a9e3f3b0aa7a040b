/** A failure whose message is all that the person at the terminal needs: it prints without a stack. */
export class UserError extends Error {}
