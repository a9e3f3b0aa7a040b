/** An error whose message is complete for the user. */
export class CreateError extends Error {}
